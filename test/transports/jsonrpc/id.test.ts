import assert from "node:assert/strict";
import { test } from "node:test";
import { idTextOf } from "../../../src/transports/jsonrpc/id.ts";

for (const [name, text, id] of [
  ["at the start", '{"id":12345678901234567890,"x":1}', "12345678901234567890"],
  ["at the end", '{ "x" : {"id":1} , "id" : 1e400 }', "1e400"],
  ["after nested ids", '{"params":{"id":1,"a":[{"id":2}]},"id":-3}', "-3"],
  ["twice", '{"id":1,"id":2}', "2"],
  ["with escapes in its name", '{"\\u0069d":7}', "7"],
  ["after strings that look like it", '{"a":"\\"id\\":5","b\\\\":"}","id":6}', "6"],
  ["across lines", '{\n\t"id"\r\n:\n9\n}', "9"],
] as const)
  test(`finds an id ${name}`, () => {
    assert.equal(idTextOf(text), id);
  });
