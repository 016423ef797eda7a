import assert from "node:assert/strict";
import { test } from "node:test";
import { strictJsonOf } from "../../src/cli/json-text.ts";

for (const text of [
  '{"a":{"a":[{"a":1},{"a":2}]},"b":"a","c":["a","a"]}',
  '{"a\\"b,:{":1,"":[[],{}],"e":[true,false,null,-1.5e-7,"{\\"x\\":1,\\"x\\":2}"]}',
  ` [ "\\ud83d\\ude00" , "\u{1f600}" , 1 ] `,
  `"${"x".repeat(1e6)}"`,
  `${"[".repeat(100)}${"]".repeat(100)}`,
])
  test(`JSON as every reader understands it is read: ${text.slice(0, 40)}`, () => {
    assert.deepEqual(strictJsonOf(text), JSON.parse(text));
  });

for (const [text, error] of [
  ["{", "not JSON"],
  ["{'a':1}", "not JSON"],
  ['{"a":1,"a":1}', 'the name "a" stands twice in one object'],
  ['[{"b":{"a":[],"\\u0061":1}}]', 'the name "a" stands twice in one object'],
  ['{"__proto__":1,"__proto__":2}', 'the name "__proto__" stands twice in one object'],
  ['["\\ud800x"]', '"\\ud800x" has half a character'],
  ['{"\\udc00":1}', '"\\udc00" has half a character'],
  ['{"a":[1,-1e999]}', "-1e999 is no finite number"],
  [`${"[".repeat(101)}${"]".repeat(101)}`, "nested deeper than 100 levels"],
] as const)
  test(`JSON that readers differ in is refused: ${text.slice(0, 40)}`, () => {
    assert.throws(() => strictJsonOf(text), { message: error });
  });
