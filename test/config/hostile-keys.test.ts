/** Keys of a configuration that are called as members of every object: known nowhere, and nothing gets them. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ConfigError } from "../../src/config/errors.ts";
import { parseAgent } from "../../src/config/load-agent.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { JsonObject } from "../../src/protocol/json.ts";

const AGENT = "{ name: One, description: '', static: {} }";

afterEach(() => {
  assert.equal(Reflect.get({}, "polluted"), undefined);
  assert.equal(Reflect.get(Object, "polluted"), undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
});

function problemsOf(text: string): readonly string[] {
  try {
    parseConfig(text, "config.yaml", {});
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems.map(({ path }) => path);
  }
  return [];
}

for (const [what, text, path] of [
  ["at the top", `__proto__: { polluted: 1 }\nagents: { one: ${AGENT} }`, "__proto__"],
  [
    "in a section",
    `log: { __proto__: { level: debug } }\nagents: { one: ${AGENT} }`,
    "log.__proto__",
  ],
  ["as an agent", `agents: { one: ${AGENT}, __proto__: ${AGENT} }`, "agents.__proto__"],
  [
    "as a constructor",
    `constructor: { prototype: { polluted: 1 } }\nagents: { one: ${AGENT} }`,
    "constructor",
  ],
  [
    "in an agent",
    `agents: { one: { name: One, description: '', static: {}, __proto__: { polluted: 1 } } }`,
    "agents.one.__proto__",
  ],
  [
    "by a merge",
    `base: &base { __proto__: { polluted: 1 } }\nagents: { one: { <<: *base, name: One, description: '', static: {} } }`,
    "base.__proto__",
  ],
  ["as the primary agent", `primary: __proto__\nagents: { one: ${AGENT} }`, "primary"],
] as const)
  test(`__proto__ ${what} is refused by its path`, () => {
    assert.ok(problemsOf(text).includes(path), JSON.stringify(problemsOf(text)));
  });

test("in data the others are data, and __proto__ is refused there too", () => {
  const textOf = (data: string): string =>
    `agents: { one: { name: One, description: '', static: { otherwise: { message: { data: ${data} } } } } }`;
  const { handler } =
    parseConfig(textOf("{ constructor: { prototype: { polluted: 1 } } }"), "c.yaml", {}).agents[
      "one"
    ] ?? {};
  assert.match(JSON.stringify(handler), /\{"constructor":\{"prototype":\{"polluted":1\}\}\}/);
  const path = "agents.one.static.otherwise.message.data.__proto__";
  assert.deepEqual(problemsOf(textOf("{ __proto__: { polluted: 1 } }")), [path]);
});

test("an agent that comes in while the gateway runs has none of them either", () => {
  const definition = JSON.parse(
    '{"name":"One","description":"","static":{},"__proto__":{"polluted":1}}',
  ) as JsonObject;
  assert.throws(() => parseAgent("one", definition), ConfigError);
  assert.throws(
    () => parseAgent("__proto__", { name: "One", description: "", static: {} }),
    ConfigError,
  );
});
