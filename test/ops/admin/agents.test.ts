import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentControl } from "../../../src/core/ports/agent-control.ts";
import { errorIn, startAdmin } from "../support/admin-client.ts";

test("agents are listed in the order of the port, without definitions and cards", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("GET", "/admin/agents");
  const { agents } = body as { readonly agents: readonly { readonly id: string }[] };
  assert.deepEqual(
    agents.map(({ id }) => id),
    ["echo", "weather"],
  );
  assert.deepEqual(agents[0], {
    id: "echo",
    origin: "configured",
    kind: "static",
    isEnabled: true,
    isPrimary: true,
    name: "Echo",
    description: "Says it again",
    running: 1,
  });
});

test("one agent comes with its definition, its card and instants in ISO 8601", async (t) => {
  const { call } = await startAdmin(t);
  const agent = (await call("GET", "/admin/agents/weather")).body as Record<string, unknown>;
  assert.deepEqual(agent["definition"], {
    name: "Weather",
    description: "Knows the weather",
    upstream: { url: "https://agents.example/weather" },
  });
  assert.equal((agent["card"] as { readonly name: string }).name, "Weather");
  assert.equal(agent["port"], 8081);
  const { fetchedAt, interfaces } = agent["upstream"] as {
    readonly fetchedAt: string;
    readonly interfaces: readonly { readonly health?: object }[];
  };
  assert.equal(fetchedAt, "2026-01-31T12:00:00.000Z");
  assert.deepEqual(interfaces[0]?.health, {
    isUp: false,
    checkedAt: "2026-01-31T12:00:01.000Z",
    problem: "no answer in time",
  });
});

test("an agent is added with 201 and gets another definition with 200", async (t) => {
  const { call } = await startAdmin(t);
  const added = await call("PUT", "/admin/agents/news", { body: { name: "News" } });
  assert.equal(added.status, 201);
  const changed = await call("PUT", "/admin/agents/news", { body: { name: "More news" } });
  assert.equal(changed.status, 200);
  assert.equal((changed.body as { readonly name: string }).name, "More news");
  const { body } = await call("GET", "/admin/agents/news");
  assert.deepEqual(body, changed.body);
});

test("a definition that cannot be used is 400 with every problem of it", async (t) => {
  const { call } = await startAdmin(t);
  const answer = await call("PUT", "/admin/agents/news", { body: { color: "red" } });
  assert.equal(answer.status, 400);
  assert.deepEqual(errorIn(answer), {
    code: "INVALID_PARAMS",
    message: "the definition of news cannot be used",
    problems: [
      { path: "name", what: "missing, expected text" },
      { path: "description", what: "missing, expected text" },
    ],
  });
});

test("an agent that was added is removed, once", async (t) => {
  const { call } = await startAdmin(t);
  const gone = await call("DELETE", "/admin/agents/weather");
  assert.equal(gone.status, 204);
  assert.equal(gone.text, "");
  const again = await call("DELETE", "/admin/agents/weather");
  assert.equal(again.status, 404);
  assert.deepEqual(errorIn(again), { code: "NOT_FOUND", message: 'no agent "weather"' });
});

test("what the configuration or the primary agent forbids is 409", async (t) => {
  const { call } = await startAdmin(t);
  const refused = [
    await call("PUT", "/admin/agents/echo", { body: { name: "Echo" } }),
    await call("DELETE", "/admin/agents/echo"),
    await call("POST", "/admin/agents/echo/disable"),
    await call("POST", "/admin/agents/echo/refresh"),
  ];
  for (const answer of refused) {
    assert.equal(answer.status, 409);
    assert.equal(errorIn(answer).code, "CONFLICT");
  }
});

test("an agent is switched off and on again", async (t) => {
  const { call } = await startAdmin(t);
  const isEnabled = async (what: string): Promise<unknown> =>
    ((await call("POST", `/admin/agents/weather/${what}`)).body as { isEnabled: boolean })
      .isEnabled;
  assert.equal(await isEnabled("disable"), false);
  assert.equal(await isEnabled("enable"), true);
});

test("an agent that nobody has is 404 on every route", async (t) => {
  const { call } = await startAdmin(t);
  for (const [method, path] of [
    ["GET", "/admin/agents/nobody"],
    ["DELETE", "/admin/agents/nobody"],
    ["POST", "/admin/agents/nobody/enable"],
    ["POST", "/admin/agents/nobody/disable"],
    ["POST", "/admin/agents/nobody/refresh"],
  ] as const) {
    const answer = await call(method, path);
    assert.equal(answer.status, 404, path);
    assert.equal(errorIn(answer).message, 'no agent "nobody"');
  }
});

test("an id that no agent can have is 400 and never reaches the agents", async (t) => {
  const fail = (): never => assert.fail("asked");
  const agents: AgentControl = {
    list: fail,
    find: fail,
    add: fail,
    setEnabled: fail,
    remove: fail,
    refresh: fail,
    reload: fail,
  };
  const { call } = await startAdmin(t, { agents });
  for (const id of ["__proto__", "Echo", "-a", "a%2Fb", "a%00", "a".repeat(64)])
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await call(method, `/admin/agents/${id}`, {
        body: method === "PUT" ? {} : undefined,
      });
      assert.equal(answer.status, 400, `${method} ${id}`);
      assert.equal(errorIn(answer).problems?.[0]?.path, "id");
    }
});

test("a reload answers what it changed", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("POST", "/admin/reload", { body: {} });
  assert.deepEqual(body, { added: ["news"], changed: [], removed: ["old"], later: ["listen"] });
});

test("upstreams are the remote agents alone, with health and breakers", async (t) => {
  const { call } = await startAdmin(t);
  const { body } = await call("GET", "/admin/upstreams");
  assert.deepEqual(body, {
    upstreams: [
      {
        agent: "weather",
        isEnabled: true,
        isKnown: true,
        fetchedAt: "2026-01-31T12:00:00.000Z",
        interfaces: [
          {
            url: "https://agents.example/weather",
            binding: "JSONRPC",
            version: "1.0",
            breaker: "closed",
            isCurrent: true,
            health: {
              isUp: false,
              checkedAt: "2026-01-31T12:00:01.000Z",
              problem: "no answer in time",
            },
          },
          {
            url: "https://agents.example/weather/v1",
            binding: "HTTP+JSON",
            version: "0.3",
            breaker: "half-open",
            isCurrent: false,
          },
        ],
      },
    ],
  });
});

test("a change is logged with what it changed, a look is not", async (t) => {
  const { call, log } = await startAdmin(t);
  await call("GET", "/admin/agents/weather");
  await call("POST", "/admin/agents/weather/disable");
  await call("POST", "/admin/agents/nobody/disable");
  assert.deepEqual(log.lines, [
    {
      level: "info",
      message: "admin change",
      fields: { operation: "disableAgent", id: "weather" },
    },
  ]);
});
