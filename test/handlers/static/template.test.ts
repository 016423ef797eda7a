import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part } from "../../../src/protocol/model.ts";
import type { StaticRule } from "../../../src/handlers/static/config.ts";
import { createStaticHandler } from "../../../src/handlers/static/handler.ts";
import { answer, textsIn, turnOf } from "../turns.ts";

async function expanded(message: string, parts: string | readonly Part[], regex?: string) {
  const rule: StaticRule = { when: regex === undefined ? {} : { regex }, message };
  const handler = createStaticHandler({ kind: "static", rules: [rule] });
  return textsIn(await answer(handler, turnOf(parts)))[0];
}

test("inserts the message's text and the turn's ids", async () => {
  const source = "{{text}}|{{ messageId }}|{{contextId}}|{{taskId}}";
  assert.equal(await expanded(source, "hi"), "hi|message-1|context-1|task-1");
});

test("inserts values of the first data part that has them, JSON for what is no text", async () => {
  const parts = [{ data: 1 }, { data: { a: { b: ["x", { c: 1 }] }, n: null } }, { data: { a: 2 } }];
  const source = "{{data.a.b.0}} {{data.a.b.1}} {{data.n}} <{{data.none}}>";
  assert.equal(await expanded(source, parts), 'x {"c":1} null <>');
});

test("does not see what objects inherit", async () => {
  assert.equal(
    await expanded("<{{data.constructor.name}}{{data.__proto__}}>", [{ data: {} }]),
    "<>",
  );
});

test("inserts the groups of the rule's expression, by number and by name", async () => {
  const source = "{{match.0}}/{{match.1}}/{{match.city}}/<{{match.2}}>";
  assert.equal(
    await expanded(source, "in Rome", "in (?<city>\\w+)( now)?"),
    "in Rome/Rome/Rome/<>",
  );
});

test("inserts text as it is: no expansion, no replacement patterns", async () => {
  assert.equal(await expanded("<{{text}}>", "{{taskId}} $& $1 \\{{"), "<{{taskId}} $& $1 \\{{>");
});

test("leaves escaped braces and text that is no variable", async () => {
  assert.equal(await expanded("\\{{text}} { {text} } {{text", "hi"), "{{text}} { {text} } {{text");
});
