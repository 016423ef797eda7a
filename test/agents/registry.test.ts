import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agents } from "../../src/core/ports/agent.ts";
import { agentsFrom } from "./support.ts";

const TEXT = `
agents:
  one:
    name: One
    description: ""
    static: {}
    forwardHeaders: [X-User, x-team]
    turnTimeout: 2m
    cancelGrace: 3s
    onRestart: rerun
    idempotencyWindow: 10m
  two: { name: Two, description: "", static: {} }
`;

function agents(): Agents {
  return agentsFrom(TEXT);
}

test("an agent is found by its id, the primary one without", () => {
  const known = agents();
  assert.equal(known.find("two")?.id, "two");
  assert.equal(known.find(undefined)?.id, "one");
  assert.deepEqual(
    known.all().map(({ id }) => id),
    ["one", "two"],
  );
});

test("names that are not agents find nothing", () => {
  for (const id of ["", "One", "three", "__proto__", "constructor"])
    assert.equal(agents().find(id), undefined, id);
});

test("an agent carries the limits of its configuration", () => {
  const { onRestart, idempotencyWindowMs, forwardHeaders, turnTimeoutMs, cancelGraceMs } =
    agents().find("one") ?? assert.fail();
  const limits = { onRestart, idempotencyWindowMs, forwardHeaders, turnTimeoutMs, cancelGraceMs };
  assert.deepEqual(limits, {
    onRestart: "rerun",
    idempotencyWindowMs: 600_000,
    forwardHeaders: ["x-user", "x-team"],
    turnTimeoutMs: 120_000,
    cancelGraceMs: 3000,
  });
});

test("an agent's source card names no address", () => {
  assert.deepEqual(agents().find("one")?.card.supportedInterfaces, []);
});
