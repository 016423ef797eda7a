import assert from "node:assert/strict";
import { test } from "node:test";
import { isAsShown, sessionsOf } from "./console.ts";

const PAGE = `# A page

\`\`\`sh
not this
\`\`\`

\`\`\`console
$ curl -d '{
    "a": 1 }' \\
    http://there | jq
{ "b": 2 }
$ echo done
done
\`\`\`

\`\`\`console
$ true
\`\`\`
`;

test("reads commands over several lines, with the answers below them", () => {
  assert.deepEqual(sessionsOf(PAGE), [
    {
      line: 7,
      steps: [
        { command: `curl -d '{\n    "a": 1 }' \\\n    http://there | jq`, answer: '{ "b": 2 }\n' },
        { command: "echo done", answer: "done\n" },
      ],
    },
    { line: 16, steps: [{ command: "true", answer: "" }] },
  ]);
});

test("refuses an answer that no command belongs to", () => {
  assert.throws(() => sessionsOf("```console\nhello\n```\n"), /line 1/);
});

for (const [shown, output] of [
  ["", "anything"],
  ['{ "a": { "b": 1 } }', '{"a":{"c":2,"b":1},"d":3}'],
  ['{ "a": "…" }', '{"a":"some id"}'],
  ['{ "a": "no …: x" }', '{"a":"no task: x"}'],
  ['[{ "a": 1 }, 2]', '[{"a":1,"b":2},2]'],
  ["one\nthree", "one\ntwo\nthree\n"],
  ["one\n…\nthree", "one\nthree"],
  ["id: … (…)", "id: 7 (new)"],
] as const)
  test(`takes ${JSON.stringify(output)} for ${JSON.stringify(shown)}`, () => {
    assert.ok(isAsShown(shown, output));
  });

for (const [shown, output] of [
  ['{ "a": 1 }', '{"b":1}'],
  ['{ "a": 1 }', '{"a":"1"}'],
  ['{ "a": 1 }', "no JSON"],
  ['{ "a": "…" }', '{"a":1}'],
  ['{ "a": null }', "{}"],
  ["[1]", "[1,2]"],
  ["{}", "[]"],
  ["one\ntwo", "two\none"],
  ["one\none", "one"],
  ["a.c", "abc"],
] as const)
  test(`does not take ${JSON.stringify(output)} for ${JSON.stringify(shown)}`, () => {
    assert.ok(!isAsShown(shown, output));
  });
