/** How often the gateway may be called, on every door. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { httpAnswer } from "./access-answers.ts";
import { DOOR_NAMES } from "./door-names.ts";
import { accessFor, ask, headersOf, limitStage, passing, setupOf } from "./call-limits-stage.ts";

/** Slow enough that no token comes back while a test runs. */
const RATE = { rate: "3/d" };
/** Seconds until a token comes back: a third of a day, less what has gone by. */
const WAIT = /^28(800|7\d\d)$/;

const KINDS = ["address", "principal", "agent"] as const;

for (const [index, name] of DOOR_NAMES.entries())
  describe(name, () => {
    for (const kind of KINDS)
      test(`a call past the limit of its ${kind} is refused, with when to come back`, async (t) => {
        const { doors } = await limitStage(t, { calls: { [kind]: RATE } });
        const door = doors[index] ?? assert.fail();
        assert.equal(door.name, name);
        assert.equal(await passing(door, 3), 3);
        const version = { "a2a-version": door.version };
        const { verdict, headers, text } = await ask(door, "getTask", version);
        assert.equal(verdict, "rate limited", text);
        assert.match(String(headers["retry-after"]), WAIT);
        assert.match(
          text,
          /too many (requests from this address|calls (by this caller|of agent own))/,
        );
        if (name.startsWith("JSON-RPC")) assert.match(text, /"code":-32012/);
        if (name.endsWith("1.0")) assert.match(text, new RegExp(`${kind}\\.rate`));
      });

    test("streams and other calls count alike, and are refused alike", async (t) => {
      const { doors } = await limitStage(t, { calls: { principal: RATE } });
      const door = doors[index] ?? assert.fail();
      const operations = ["sendStreamingMessage", "subscribeToTask", "getTask"] as const;
      for (const operation of operations)
        assert.notEqual((await ask(door, operation)).verdict, "rate limited", operation);
      for (const operation of [...operations, "sendMessage"] as const)
        assert.equal((await ask(door, operation)).verdict, "rate limited", operation);
    });
  });

test("all doors count together, and so do the versions", async (t) => {
  for (const kind of KINDS) {
    const { doors } = await limitStage(t, { calls: { [kind]: { rate: "5/d" } } });
    const verdicts: string[] = [];
    for (const door of doors) verdicts.push((await ask(door, "getTask")).verdict);
    assert.deepEqual(verdicts, [...Array<string>(5).fill("not found"), "rate limited"]);
  }
});

describe("the fields of HTTP", () => {
  test("tell what is left of the caller's limits, and nothing of the agent's", async (t) => {
    const { doors } = await limitStage(t, {
      calls: { address: { rate: "4/d", burst: 5 }, principal: RATE, agent: { rate: "9/d" } },
    });
    for (const door of doors.filter(({ name }) => name.startsWith("JSON-RPC"))) {
      const { headers } = await ask(door, "getTask");
      assert.equal(headers["ratelimit-policy"], '"address";q=5;w=108000, "principal";q=3;w=86400');
    }
    const [door] = doors;
    assert.ok(door);
    const { headers } = await ask(door, "sendStreamingMessage");
    assert.match(
      String(headers["ratelimit"]),
      /^"address";r=2;t=21[56]\d\d, "principal";r=0;t=28[78]\d\d$/,
    );
    const refused = await ask(door, "getTask");
    assert.match(
      String(refused.headers["ratelimit"]),
      /^"address";r=1;t=21[56]\d\d, "principal";r=0;t=28[78]\d\d$/,
    );
    const [, wait] = /principal";r=0;t=(\d+)/.exec(String(refused.headers["ratelimit"])) ?? [];
    assert.equal(refused.headers["retry-after"], wait);
  });

  test("are not there where nothing is limited", async (t) => {
    const { doors } = await limitStage(t, {});
    for (const door of doors) {
      const { headers } = await ask(door, "getTask");
      assert.deepEqual(
        Object.keys(headers).filter((name) => /^ratelimit|^retry/.test(name)),
        [],
      );
    }
  });

  test("are shown to pages of allowed origins", async (t) => {
    const { gateway } = await limitStage(t, {
      calls: { address: RATE },
      settings: { cors: { origins: ["https://app.example"] } },
    });
    const headers = { origin: "https://app.example" };
    const answer = await httpAnswer(gateway.port, { path: "/a2a/own/tasks/x", headers });
    assert.match(
      String(answer.headers["access-control-expose-headers"]),
      /Retry-After, RateLimit, RateLimit-Policy/,
    );
  });
});

describe("what is public", () => {
  const PATHS = [
    "/.well-known/agent-card.json",
    "/a2a/own/.well-known/agent.json",
    "/.well-known/jwks.json",
    "/a2a/own/openapi.json",
    "/a2a",
    "/nothing/here",
    "/a2a/own/tasks/none",
  ];
  for (const path of PATHS)
    test(`${path} counts by address, and is refused past the limit`, async (t) => {
      const { gateway } = await limitStage(t, { calls: { address: { rate: "2/d" } } });
      const get = (method = "GET") => httpAnswer(gateway.port, { method, path });
      const first = await get();
      assert.match(String(first.headers["ratelimit"]), /^"address";r=1;t=\d+$/);
      await get("POST");
      const { verdict, headers, text } = await get();
      assert.equal(verdict, "rate limited");
      assert.match(String(headers["retry-after"]), /^43[12]\d\d$/);
      assert.equal(headers["cache-control"], "no-store");
      assert.match(text, /too many requests from this address/);
    });

  test("preflights count for nothing", async (t) => {
    const { gateway } = await limitStage(t, { calls: { address: { rate: "1/d" } } });
    for (const path of ["/a2a", "/a2a/own", "/.well-known/agent-card.json"])
      for (let time = 0; time < 3; time++) {
        const incoming = await httpAnswer(gateway.port, { method: "OPTIONS", path });
        assert.match(incoming.verdict, /^other 204/);
      }
    const { verdict } = await httpAnswer(gateway.port, { path: "/a2a" });
    assert.equal(verdict, "allowed");
  });
});

describe("who is asked when", () => {
  test("an address past its limit is not asked who it is, and its guesses are not counted", async (t) => {
    const { gateway, doors } = await limitStage(t, {
      calls: { address: { rate: "6/d" } },
      settings: accessFor(["alice"]),
    });
    const wrong = { "x-api-key": "wrong" };
    for (const door of doors)
      assert.equal((await ask(door, "getTask", wrong)).verdict, "unauthenticated", door.name);
    const before = gateway.log.lines.filter(({ message }) => message === "credentials refused");
    for (const door of doors)
      assert.equal((await ask(door, "getTask", wrong)).verdict, "rate limited", door.name);
    const after = gateway.log.lines.filter(({ message }) => message === "credentials refused");
    assert.equal(after.length, before.length);
  });

  test("a body is not read for an address past its limit", async (t) => {
    const { gateway } = await limitStage(t, { calls: { address: { rate: "1/d" } } });
    const body = "{ this is no JSON";
    const headers = { "content-type": "application/json" };
    const post = () =>
      httpAnswer(gateway.port, { method: "POST", path: "/a2a/own", headers, body });
    assert.match((await post()).text, /-32700/);
    assert.match((await post()).text, /-32012/);
  });

  test("a client behind a trusted proxy is itself, on every door", async (t) => {
    const { doors } = await limitStage(t, {
      calls: { address: { rate: "2/d" } },
      settings: { trustedProxies: ["127.0.0.1"] },
    });
    for (const [index, door] of doors.entries()) {
      const from = (client: string) => ({ "x-forwarded-for": `203.0.113.1, ${client}` });
      assert.equal(await passing(door, 3, from(`198.51.100.${index}`)), 2, door.name);
      assert.equal(await passing(door, 3, from(`2001:db8::${index}:0:0:0:1`)), 2, door.name);
      assert.equal(await passing(door, 1, from(`2001:db8::${index}:0:0:0:2`)), 0, door.name);
    }
  });

  test("principals are counted each by itself, and by tenant", async (t) => {
    const callers = ["acme/alice", "globex/alice", "acme/bob"];
    const { doors } = await limitStage(t, {
      calls: { principal: RATE },
      settings: accessFor(callers),
    });
    for (const caller of callers) {
      const counts = [];
      for (const door of doors) counts.push(await passing(door, 1, headersOf(caller)));
      assert.deepEqual(counts, [1, 1, 1, 0, 0, 0], caller);
    }
  });

  test("whoever may not call an agent learns nothing of its limits", async (t) => {
    const { doors } = await limitStage(t, {
      calls: { principal: RATE, agent: { rate: "2/d", streams: 1 } },
      settings: accessFor(["alice", "mallory"], {
        policies: [{ who: { principals: ["alice"] } }],
      }),
    });
    for (let round = 0; round < 2; round++) {
      for (const door of doors)
        for (const operation of ["getTask", "sendStreamingMessage"] as const) {
          const { verdict, headers } = await ask(door, operation, headersOf("mallory"));
          assert.equal(verdict, "forbidden", door.name);
          assert.equal(headers["ratelimit"], undefined);
        }
      // Neither before nor after the agent is at its limit.
      const [door] = doors;
      assert.ok(door);
      assert.equal(await passing(door, 3, headersOf("alice")), round === 0 ? 2 : 0);
    }
  });

  test("exceptions give callers other limits", async (t) => {
    const { doors } = await limitStage(t, {
      calls: { principal: RATE, except: [{ who: { principals: ["bulk"] }, rate: "off" }] },
      settings: accessFor(["alice", "bulk"]),
    });
    const [door] = doors;
    assert.ok(door);
    assert.equal(await passing(door, 5, headersOf("alice")), 3);
    assert.equal(await passing(door, 9, headersOf("bulk")), 9);
  });
});

test("an agent's own limit counts for it alone, and changes with a reload", async (t) => {
  const { gateway, doors, doorsOf } = await limitStage(t, {
    calls: { agent: { rate: "9/d" } },
    agent: { calls: { rate: "2/d" } },
  });
  const [own] = doors;
  const [other] = doorsOf("other");
  assert.ok(own && other);
  assert.equal(await passing(own, 5), 2);
  assert.equal(await passing(other, 5), 5);

  const next = { calls: { agent: { rate: "9/d" } }, agent: { calls: { rate: "off" } } };
  const { changed, later } = await gateway.reload(setupOf(next));
  assert.deepEqual({ changed, later }, { changed: ["own"], later: [] });
  assert.equal(await passing(own, 5), 5);
  assert.equal(await passing(other, 9), 4);

  assert.deepEqual((await gateway.reload(setupOf({}))).later, ["limits"]);
});

test("a flood has one line in the log", async (t) => {
  const { gateway, doors } = await limitStage(t, { calls: { principal: RATE } });
  for (const door of doors) await passing(door, 9);
  const told = gateway.log.lines.filter(({ fields }) => JSON.stringify(fields).includes("limit"));
  assert.deepEqual(
    told.map(({ level, message, fields }) => ({ level, message, ...fields })),
    [
      {
        level: "info",
        message: "past a limit",
        limit: "principal.rate",
        address: "127.0.0.1",
        refused: 1,
      },
    ],
  );
  assert.equal(gateway.log.lines.filter(({ message }) => message === "call").length, 3);
});
