/** docs/events.md is executed: every example goes through the decoder, every name is one that the code knows. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventsOf } from "../../src/handlers/events.ts";
import { eventsOfYielded } from "../../src/handlers/module/yielded.ts";
import { ERROR_NAMES, SHORT_STATES, STATE_OF } from "../../src/handlers/names.ts";
import { cancelJson, turnJson } from "../../src/handlers/turn-json.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { turnOf } from "./turns.ts";

const page = await readFile(new URL("../../docs/events.md", import.meta.url), "utf8");

/** The texts of the code blocks that are marked so. */
function blocks(mark: string): readonly string[] {
  const fenced = page.matchAll(/^```(.+)\n([^]*?)^```$/gm);
  return Array.from(fenced, ([, found, text = ""]) => (found === mark ? text : "")).filter(Boolean);
}

function lines(mark: string): readonly string[] {
  return blocks(mark).flatMap((text) => text.trim().split("\n"));
}

test("the page has examples of each kind", () => {
  for (const mark of ["json", "json error", "json module"]) assert.ok(lines(mark).length > 3, mark);
});

for (const line of lines("json"))
  test(`takes the documented ${line.slice(0, 60)}`, () => {
    assert.ok([...eventsOf(JSON.parse(line))].length > 0);
  });

for (const line of lines("json module"))
  test(`takes the documented ${line.slice(0, 60)} of a module`, () => {
    assert.equal([...eventsOfYielded(JSON.parse(line), "")].length, 1);
  });

test("documents every error, and no other", () => {
  const errors = lines("json error").map((line): { error: { name: string; message: string } } =>
    JSON.parse(line),
  );
  assert.deepEqual(
    errors.map(({ error }) => error.name),
    ERROR_NAMES,
  );
  for (const outside of errors)
    assert.throws(
      () => [...eventsOf(outside)],
      (thrown) => A2AError.is(thrown) && thrown.message === outside.error.message,
    );
});

test("documents every state in both spellings", () => {
  const rows = Array.from(page.matchAll(/^\| `([a-z-]+)` \| `(TASK_STATE_\w+)` \|/gm), (row) => [
    row[1],
    row[2],
  ]);
  assert.deepEqual(
    Object.fromEntries(rows),
    Object.fromEntries(SHORT_STATES.map((name) => [name, STATE_OF[name]])),
  );
});

test("documents the members of the turn, and of what cancelUrl is told", () => {
  const task = { id: "t", status: { state: "TASK_STATE_WORKING" } } as const;
  const turn = turnOf("hi", { task, metadata: {} });
  for (const [mark, json] of [
    ["json turn", turnJson(turn)],
    ["json cancel", cancelJson(turn, {})],
  ] as const)
    assert.deepEqual(blocks(mark).map(members), [members(json)]);
  for (const name of members(turnJson(turn))) assert.ok(page.includes(`\n| \`${name}\` |`), name);
});

function members(json: string): readonly string[] {
  return Object.keys(JSON.parse(json) as object);
}
