import assert from "node:assert/strict";
import { test } from "node:test";
import { plainJson, plainText, plainWord } from "../../src/cli/plain-text.ts";

test("text keeps its lines and tabs", () => {
  assert.equal(plainText("a\tb\r\nc\nd é 漢 😀"), "a\tb\nc\nd é 漢 😀");
});

test("what a terminal would act on is shown as an escape", () => {
  assert.equal(plainText("\u001b[31mred\u0007\u009b2J\rover"), "\\x1b[31mred\\x07\\x9b2J\\x0dover");
  assert.equal(plainText("\u001b]0;title\u0007\u0000\u007f"), "\\x1b]0;title\\x07\\x00\\x7f");
});

test("marks that turn the reading direction are shown as escapes", () => {
  assert.equal(plainText("a\u202eb\u2066c"), "a\\u202eb\\u2066c");
});

test("a word has no lines", () => {
  assert.equal(plainWord("id\nerror: fake\tx"), "id\\nerror: fake\\tx");
});

test("JSON is still JSON, without active characters", () => {
  const value = { text: "\u001b[2J \u009b \u202e \n" };
  const written = plainJson(value);
  assert.match(written, /^[\u0020-\u007e]*$/);
  assert.deepEqual(JSON.parse(written), value);
});
