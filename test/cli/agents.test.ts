import assert from "node:assert/strict";
import { test } from "node:test";
import { adminApi } from "./admin-api.ts";

const ECHO = {
  id: "echo",
  origin: "configured",
  kind: "static",
  isEnabled: true,
  isPrimary: true,
  name: "Echo\u001b[2J",
  description: "Says it again",
  running: 2,
};

const UPSTREAM = {
  isKnown: true,
  fetchedAt: "2026-01-31T12:00:00.000Z",
  interfaces: [
    {
      url: "https://w.example/rpc",
      binding: "JSONRPC",
      version: "1.0",
      breaker: "open",
      isCurrent: true,
      health: { isUp: false, checkedAt: "2026-01-31T12:00:01.000Z", problem: "HTTP 502" },
    },
    {
      url: "https://w.example/grpc",
      binding: "GRPC",
      version: "0.3",
      breaker: "closed",
      isCurrent: false,
    },
  ],
};

const WEATHER = {
  id: "weather",
  origin: "added",
  kind: "upstream",
  isEnabled: false,
  isPrimary: false,
  port: 8081,
  name: "Weather",
  description: "",
  running: 0,
  upstream: UPSTREAM,
};

const DETAIL = {
  ...WEATHER,
  definition: { upstream: { url: "https://w.example" } },
  card: {
    supportedInterfaces: [
      { protocolBinding: "JSONRPC", protocolVersion: "1.0", url: "http://g/a2a/weather" },
    ],
  },
};

test("list shows every agent in a row", async (t) => {
  const api = await adminApi(t, { "GET /admin/agents": { body: { agents: [ECHO, WEATHER] } } });
  const { code, stdout, stderr } = await api.run(["agents", "list"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(stdout.split("\n"), [
    "ID       KIND      ORIGIN      STATE     UPSTREAM  PORT  RUNNING  NAME",
    "echo     static    configured  primary   -         -     2        Echo\\x1b[2J",
    "weather  upstream  added       disabled  up        8081  0        Weather",
    "",
  ]);
});

test("list and inspect tell an agent that cannot be served from one that is off", async (t) => {
  const problem = "upstream.card: no such file";
  const unserved = { ...DETAIL, isEnabled: true, upstream: undefined, problem };
  const api = await adminApi(t, {
    "GET /admin/agents": { body: { agents: [unserved] } },
    "GET /admin/agents/weather": { body: unserved },
  });
  const { stdout: table } = await api.run(["agents", "list"]);
  assert.match(table, /^weather +upstream +added +unserved /m);
  const { stdout: facts } = await api.run(["agents", "inspect", "weather"]);
  assert.match(facts, /^state +unserved\nproblem +upstream\.card: no such file\n/m);
});

test("list prints the raw answer, harmless to a terminal, with --json", async (t) => {
  const api = await adminApi(t, { "GET /admin/agents": { body: { agents: [ECHO] } } });
  const { stdout } = await api.run(["agents", "list", "--json"]);
  assert.deepEqual(JSON.parse(stdout), { agents: [ECHO] });
  assert.doesNotMatch(stdout, /\u001b/);
});

test("an answer without its list is told, not shown", async (t) => {
  const api = await adminApi(t, { "GET /admin/agents": { body: {} } });
  assert.deepEqual(await api.run(["agents", "list"]), {
    code: 1,
    stdout: "",
    stderr: 'error: the answer has no list "agents"\n',
  });
});

test("inspect shows an agent, how it is reached, and its definition", async (t) => {
  const api = await adminApi(t, { "GET /admin/agents/weather": { body: DETAIL } });
  const { stdout } = await api.run(["agents", "inspect", "weather"]);
  assert.deepEqual(stdout.split("\n"), [
    "agent        weather",
    "name         Weather",
    "kind         upstream",
    "origin       added",
    "state        disabled",
    "port         8081",
    "running      0",
    "served       JSONRPC 1.0 http://g/a2a/weather",
    "upstream     up, card of 2026-01-31T12:00:00.000Z",
    "upstream     JSONRPC 1.0 https://w.example/rpc, current, breaker open, down (HTTP 502) at 2026-01-31T12:00:01.000Z",
    "upstream     GRPC 0.3 https://w.example/grpc, breaker closed",
    "definition",
    "{",
    '  "upstream": {',
    '    "url": "https://w.example"',
    "  }",
    "}",
    "",
  ]);
});

test("upstreams shows every interface of every remote agent", async (t) => {
  const upstreams = [
    { agent: "weather", isEnabled: true, ...UPSTREAM },
    { agent: "away", isEnabled: true, isKnown: false, problem: "no answer", interfaces: [] },
    { agent: "off", isEnabled: false, isKnown: false, interfaces: [] },
  ];
  const api = await adminApi(t, { "GET /admin/upstreams": { body: { upstreams } } });
  const { stdout } = await api.run(["agents", "upstreams"]);
  assert.deepEqual(
    stdout.split("\n").map((line) => line.split(/ {2,}/)),
    [
      ["AGENT", "STATE", "BINDING", "VERSION", "CURRENT", "BREAKER", "HEALTH", "URL"],
      [
        "weather",
        "up",
        "JSONRPC",
        "1.0",
        "yes",
        "open",
        "down (HTTP 502) at 2026-01-31T12:00:01.000Z",
        "https://w.example/rpc",
      ],
      ["weather", "up", "GRPC", "0.3", "-", "closed", "-", "https://w.example/grpc"],
      ["away", "unknown", "-", "-", "-", "-", "-", "-"],
      ["off", "disabled", "-", "-", "-", "-", "-", "-"],
      [""],
    ],
  );
});

const CHANGES: readonly (readonly [string, string, unknown, string])[] = [
  ["enable", "POST /admin/agents/weather/enable", DETAIL, "enabled weather\n"],
  ["disable", "POST /admin/agents/weather/disable", DETAIL, "disabled weather\n"],
  ["remove", "DELETE /admin/agents/weather", undefined, "removed weather\n"],
];

for (const [verb, line, body, shown] of CHANGES)
  test(`${verb} says what it did`, async (t) => {
    const status = body === undefined ? 204 : 200;
    const api = await adminApi(t, { [line]: { status, body } });
    assert.deepEqual(await api.run(["agents", verb, "weather"]), {
      code: 0,
      stdout: shown,
      stderr: "",
    });
    assert.deepEqual(
      api.asked.map((each) => [each.line, each.body]),
      [[line, undefined]],
    );
  });

test("refresh shows how the agent is found now", async (t) => {
  const api = await adminApi(t, { "POST /admin/agents/weather/refresh": { body: DETAIL } });
  const { stdout } = await api.run(["agents", "refresh", "weather"]);
  assert.match(stdout, /^upstream {5}up, card of 2026-01-31T12:00:00.000Z$/m);
});

test("reload says what it changed, and what counts from the next start", async (t) => {
  const body = { added: ["a", "b"], changed: [], removed: ["c"], later: ["log", "listen"] };
  const api = await adminApi(t, { "POST /admin/reload": { body } });
  const { stdout } = await api.run(["agents", "reload"]);
  assert.equal(stdout, "added: a, b\nremoved: c\nfrom the next start: log, listen\n");
});

test("reload says that nothing changed", async (t) => {
  const body = { added: [], changed: [], removed: [], later: [] };
  const api = await adminApi(t, { "POST /admin/reload": { body } });
  assert.equal((await api.run(["agents", "reload"])).stdout, "nothing changed\n");
});

test("a configuration that cannot be used is told a problem a line, exit code 1", async (t) => {
  const problems = [
    { path: "config.yaml:3:5: agents.x", what: "missing, expected text" },
    { path: "config.yaml:9:1: agents.y", what: "unknown key" },
  ];
  const error = { code: "INVALID_PARAMS", message: "it cannot be used", problems };
  const api = await adminApi(t, { "POST /admin/reload": { status: 400, body: { error } } });
  assert.deepEqual(await api.run(["agents", "reload"]), {
    code: 1,
    stdout: "",
    stderr:
      "config.yaml:3:5: agents.x: missing, expected text\nconfig.yaml:9:1: agents.y: unknown key\n",
  });
});
