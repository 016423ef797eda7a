import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { adminApi } from "./admin-api.ts";
import { command, temporaryFile } from "./command.ts";

const ADDED = {
  id: "weather",
  origin: "added",
  kind: "upstream",
  isEnabled: true,
  name: "Weather",
  running: 0,
};

const PUT = "PUT /admin/agents/weather";
const OK = { [PUT]: { status: 201, body: ADDED } };
const DEFINITION =
  "name: Weather\nupstream: { url: 'https://w.example', headers: { x: '${KEY}' } }\n";

test("add sends the definition in a file, variables filled in from the command's environment", async (t) => {
  const api = await adminApi(t, OK);
  const file = await temporaryFile(t, "weather.yaml", DEFINITION);
  const { code, stdout, stderr } = await api.run(["agents", "add", "weather", file], { KEY: "k" });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^added weather\nagent +weather\nname +Weather\n/);
  assert.deepEqual(
    api.asked.map(({ line, body }) => [line, body]),
    [[PUT, { name: "Weather", upstream: { url: "https://w.example", headers: { x: "k" } } }]],
  );
});

test("add says when it gave an agent another definition", async (t) => {
  const api = await adminApi(t, { [PUT]: { status: 200, body: ADDED } });
  const { stdout } = await api.run(["agents", "add", "weather", "--upstream", "https://w.example"]);
  assert.match(stdout, /^changed weather\n/);
  assert.deepEqual(api.asked[0]?.body, { upstream: "https://w.example" });
});

test("add takes the agent of a configuration that has one, with its id", async (t) => {
  const api = await adminApi(t, OK);
  const whole = "database: '${NOT_SET}'\nagents: { weather: { upstream: 'https://w.example' } }\n";
  const file = await temporaryFile(t, "config.yaml", whole);
  assert.equal((await api.run(["agents", "add", file])).code, 0);
  assert.deepEqual(
    api.asked.map(({ line, body }) => [line, body]),
    [[PUT, { upstream: "https://w.example" }]],
  );
});

test("add gives the agent of a configuration another id", async (t) => {
  const api = await adminApi(t, OK);
  const file = await temporaryFile(t, "config.yaml", "agents: { w: { upstream: 'https://w' } }\n");
  assert.equal((await api.run(["agents", "add", "weather", file])).code, 0);
  assert.equal(api.asked[0]?.line, PUT);
});

test("add reads standard input", async (t) => {
  const api = await adminApi(t, OK);
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), MAIN, "agents", "add", "weather", "-"],
    {
      env: { ...process.env, A2A_GATEWAY_ADMIN: api.url, KEY: "k" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const closed = once(child, "close");
  child.stdin.end(DEFINITION);
  assert.match(await text(child.stdout), /^added weather\n/);
  await closed;
  assert.equal(child.exitCode, 0);
});

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

test("what the gateway finds wrong is told with its place in the file", async (t) => {
  const problems = [
    { path: "upstream.url", what: "expected an http or https URL" },
    { path: "", what: "expected exactly one of static, http, upstream" },
  ];
  const error = { code: "INVALID_PARAMS", message: "it cannot be used", problems };
  const api = await adminApi(t, { [PUT]: { status: 400, body: { error } } });
  const file = await temporaryFile(t, "c.yaml", "agents:\n  weather:\n    upstream: { url: x }\n");
  assert.deepEqual(await api.run(["agents", "add", file]), {
    code: 1,
    stdout: "",
    stderr:
      `${file}:3:22: agents.weather.upstream.url: expected an http or https URL\n` +
      `${file}:3:5: agents.weather: expected exactly one of static, http, upstream\n`,
  });
});

test("a variable that is not set is told with its place, and nothing is sent", async (t) => {
  const api = await adminApi(t, OK);
  const file = await temporaryFile(t, "weather.yaml", DEFINITION);
  const { code, stderr } = await api.run(["agents", "add", "weather", file]);
  assert.equal(code, 1);
  assert.equal(stderr, `${file}:2:53: upstream.headers.x: environment variable KEY is not set\n`);
  assert.deepEqual(api.asked, []);
});

const WRONG: readonly (readonly [string, string, number, RegExp])[] = [
  ["two agents", "agents: { a: {}, b: {} }", 1, /expected exactly one agent in agents, got 2/],
  ["no mapping", "[]", 1, /expected a mapping/],
  ["no YAML", "a: [", 1, /:1:5: /],
  ["no id for it", "upstream: 'https://w'", 2, /expected an id for the agent in it/],
];

for (const [title, written, exitCode, message] of WRONG)
  test(`a file with ${title} is refused`, async (t) => {
    const file = await temporaryFile(t, "a.yaml", written);
    const id = exitCode === 1 ? ["x"] : [];
    const { code, stderr } = await command(["agents", "add", ...id, file]);
    assert.equal(code, exitCode);
    assert.match(stderr, message);
    assert.ok(stderr.startsWith(file), stderr);
  });

const USAGE: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no file and no address", ["x"], /expected a file, - for standard input, or --upstream/],
  ["an address without an id", ["--upstream", "http://w"], /--upstream needs an id/],
  ["a file and an address", ["x", "f.yaml", "--upstream", "http://w"], /in place of a file/],
  ["an address that is none", ["x", "--upstream", "w"], /expected an http or https URL/],
];

for (const [title, args, message] of USAGE)
  test(`add with ${title} is wrong usage`, async () => {
    const { code, stderr } = await command(["agents", "add", ...args]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
