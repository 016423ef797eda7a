import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsOf } from "../../src/agents/registry.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { Handler } from "../../src/core/ports/handler.ts";

const SILENT: Handler = { async *handle() {} };

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

function agents() {
  const config = parseConfig(TEXT, "config.yaml", {});
  return agentsOf({
    agents: Object.entries(config.agents).map(([id, settings]) => ({
      id,
      settings,
      handler: SILENT,
    })),
    primary: config.primary,
    locationOf: () => assert.fail("nobody asked for a card"),
    keys: [],
  });
}

test("an agent is found by its id, the primary one without", () => {
  const { find, all } = agents();
  assert.equal(find("two")?.id, "two");
  assert.equal(find(undefined)?.id, "one");
  assert.deepEqual(
    all().map(({ id }) => id),
    ["one", "two"],
  );
});

test("names that are not agents find nothing", () => {
  for (const id of ["", "One", "three", "__proto__", "constructor"])
    assert.equal(agents().find(id), undefined, id);
});

test("an agent carries the limits of its configuration", () => {
  const { card: _card, handler: _handler, ...one } = agents().find("one") ?? assert.fail();
  assert.deepEqual(one, {
    id: "one",
    extendedCard: undefined,
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
