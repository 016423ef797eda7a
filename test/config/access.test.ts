import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";

const AGENTS = 'agents: { a: { name: A, description: "", static: {} } }\n';

test("ways to be let in without a mode are refused, as nobody would be asked", () => {
  const settings = "access:\n  authenticators: [{ apiKey: { in: header, name: x-api-key } }]\n";
  assert.throws(
    () => parseConfig(settings + AGENTS, "x", {}),
    (thrown) =>
      thrown instanceof ConfigError &&
      thrown.message.startsWith("x:1:1: access.mode: missing, expected one of required, "),
  );
});

for (const place of ["header", "cookie"])
  test(`a ${place} whose name nobody can send is refused`, () => {
    assert.throws(
      () => parseConfig(keyIn(place) + AGENTS, "x", {}),
      /^ConfigError: x:1:\d+: access\.authenticators\[0\]\.apiKey\.name: expected a name that a header /,
    );
  });

test("a parameter of a query may have any name", () => {
  assert.equal(parseConfig(keyIn("query") + AGENTS, "x", {}).access.mode, "required");
});

function keyIn(place: string): string {
  return `access: { mode: required, authenticators: [{ apiKey: { in: ${place}, name: "my key" } }] }\n`;
}

for (const [title, settings] of [
  ["nothing is said", ""],
  [
    "it is off in so many words, beside ways to be let in",
    "access: { mode: off, authenticators: [{ apiKey: { in: header, name: x-api-key } }] }\n",
  ],
] as const)
  test(`nobody is asked who they are where ${title}`, () => {
    assert.equal(parseConfig(settings + AGENTS, "x", {}).access.mode, "off");
  });
