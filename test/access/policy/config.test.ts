import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../../src/config/errors.ts";
import { parseConfig } from "../../../src/config/load.ts";

test("policies stand as they are written, and allow unless they say otherwise", () => {
  const { access } = parseConfig(
    configOf(USER, "{ who: { scopes: [a] }, operations: [read] }"),
    "x",
    {},
  );
  assert.deepEqual(access.policies, [
    { who: { scopes: ["a"] }, operations: ["read"], effect: "allow" },
  ]);
});

const USER = "{ basic: { users: [{ username: u, hash: h }] } }";
const TENANT_USER =
  "{ basic: { users: [{ username: u, hash: h, principal: { id: u, tenant: t } }] } }";

const mistakes: readonly [title: string, policy: string, problem: string][] = [
  ["an empty who", "{ who: {} }", "who: expected at least one of principals,"],
  ["no who", "{ agents: [echo] }", "who: missing, expected a mapping"],
  ["an empty list", "{ who: { scopes: [] } }", "who.scopes: expected a list that is not empty"],
  ["no claim", "{ who: { claims: {} } }", "who.claims: expected at least one claim"],
  [
    "a claim that is a mapping",
    "{ who: { claims: { a: { b: c } } } }",
    "who.claims.a: expected text, a number, true or false, or a list of these",
  ],
  [
    "an unknown operation",
    "{ who: { scopes: [a] }, operations: [read, getTasks] }",
    "operations[1]: expected one of *, ",
  ],
  [
    "an operation that does not send, beside skills",
    "{ who: { scopes: [a] }, skills: [s], operations: [send, read] }",
    'operations[1]: expected only operations that send beside skills, got "read"',
  ],
  ["an unknown effect", "{ who: { scopes: [a] }, effect: forbid }", "effect: expected one of "],
  [
    "anonymous callers with an id",
    "{ who: { anonymous: true, principals: [a] } }",
    "who.anonymous: expected true only without other keys",
  ],
  [
    "an unknown key",
    "{ who: { scopes: [a], claim: 1 } }",
    'who.claim: unknown key, did you mean "claims"?',
  ],
];

for (const [title, policy, problem] of mistakes)
  test(`a policy with ${title} is refused, with its place`, () => {
    const [first] = problemsOf(configOf(USER, policy));
    assert.match(first ?? "", /^x:6:\d+: access\.policies\[0\]\./);
    assert.ok(first?.includes(problem), first);
  });

test("principals without tenants are refused where callers have tenants", () => {
  const policy = "{ who: { principals: [a] } }";
  assert.deepEqual(problemsOf(configOf(USER, policy)), []);
  assert.deepEqual(problemsOf(configOf(TENANT_USER, policy)), [
    "x:6:14: access.policies[0].who: expected tenants beside principals, since callers have tenants here, got a mapping of principals",
  ]);
});

test("policies are refused where nobody is asked who they are", () => {
  const text = configOf(USER, "{ who: { scopes: [a] } }").replace("required", '"off"');
  assert.deepEqual(problemsOf(text), [
    "x:6:5: access.policies: expected only where mode is optional or required, got a list",
  ]);
});

function configOf(authenticator: string, policy: string): string {
  return [
    "agents: { echo: { name: Echo, description: Echoes, static: {} } }",
    "access:",
    "  mode: required",
    `  authenticators: [${authenticator}]`,
    "  policies:",
    `    - ${policy}`,
  ].join("\n");
}

function problemsOf(text: string): readonly string[] {
  try {
    parseConfig(text, "x", {});
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems.map(({ where, path, what }) => `${where}: ${path}: ${what}`);
  }
}
