import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OperationName } from "../../../src/protocol/service.ts";
import { OPERATIONS } from "../../../src/protocol/service.ts";
import { limitsOf } from "./support.ts";

const TWO = { calls: 2, period: 3_600_000, burst: 2 };
const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

describe("who is counted", () => {
  test("two principals do not disturb each other", (t) => {
    const { passing } = limitsOf(t, { principal: { rate: TWO } });
    assert.equal(passing(9, { principal: { id: "alice" } }), 2);
    assert.equal(passing(9, { principal: { id: "bob" } }), 2);
  });

  test("the same id in two tenants, and in none, is three principals", (t) => {
    const { passing } = limitsOf(t, { principal: { rate: TWO } });
    for (const tenant of ["acme", "globex", ""])
      assert.equal(passing(9, { principal: { tenant } }), 2, tenant);
  });

  test("a principal is the same from wherever it calls, and however it is recognised", (t) => {
    const { passing } = limitsOf(t, { principal: { rate: TWO } });
    assert.equal(passing(1, { address: "192.0.2.1" }), 1);
    assert.equal(passing(9, { address: "198.51.100.7", principal: { method: "jwt" } }), 1);
  });

  for (const method of ["anonymous", "none"] as const)
    test(`callers of the method ${method} are counted by address, apart from all principals`, (t) => {
      const { passing } = limitsOf(t, { principal: { rate: TWO } });
      const from = (address: string, id: string) => ({ address, principal: { id, method } });
      assert.equal(passing(9, from("192.0.2.1", "one")), 2);
      assert.equal(passing(9, from("192.0.2.1", "another")), 0);
      assert.equal(passing(9, from("192.0.2.2", "")), 2);
      assert.equal(passing(9, { address: "192.0.2.1", principal: { id: "192.0.2.1" } }), 2);
    });

  test("of an IPv6 address the first 64 bits count", (t) => {
    const { passingFrom } = limitsOf(t, { address: { rate: TWO } });
    assert.equal(passingFrom("2001:db8::1", 2), 2);
    assert.equal(passingFrom("2001:db8:0:0:ffff::2", 1), 0);
    assert.equal(passingFrom("2001:db8:0:1::1", 1), 1);
    assert.equal(passingFrom("192.0.2.1", 2), 2);
    assert.equal(passingFrom("::ffff:192.0.2.1", 1), 0);
  });

  test("those who run the gateway are not counted", (t) => {
    const limit = { rate: TWO, streams: 1 };
    const { passing } = limitsOf(t, { address: limit, principal: limit, agent: limit });
    const operator = { principal: { method: "operator" } } as const;
    assert.equal(passing(9, { ...operator, operation: "subscribeToTask" }), 9);
  });

  for (const operation of OPERATION_NAMES)
    test(`${operation} takes a token as any other call does`, (t) => {
      const { passing } = limitsOf(t, { principal: { rate: TWO } });
      assert.equal(passing(9, { operation }), 2);
      assert.equal(passing(9), 0);
    });
});

describe("other limits", () => {
  test("an agent's own limit takes the place of that of all", (t) => {
    const { passing } = limitsOf(t, { agent: { rate: TWO } });
    const rate = { ...TWO, burst: 4 };
    assert.equal(passing(9, { agent: "own", calls: { rate } }), 4);
    assert.equal(passing(9, { agent: "free", calls: { rate: "off" } }), 9);
    assert.equal(passing(9, { agent: "other", calls: { streams: 1 } }), 2);
  });

  test("an agent whose rate changes goes on with the tokens that it has", (t) => {
    const { passing, wait } = limitsOf(t, {});
    const limitTo = (burst: number) => ({ calls: { rate: { ...TWO, burst } } });
    assert.equal(passing(3, limitTo(4)), 3);
    assert.equal(passing(9, limitTo(100)), 1);
    wait(1_800_001);
    assert.equal(passing(9, limitTo(3)), 1);
  });

  test("the first exception that fits a principal counts, and says only what it says", (t) => {
    const { enter, passing, refused } = limitsOf(t, {
      principal: { rate: TWO, streams: 1 },
      except: [
        { who: { scopes: ["gold"] }, rate: "off" },
        { who: { tenants: ["acme"] }, rate: { ...TWO, burst: 3 } },
      ],
    });
    const gold = { principal: { id: "g", tenant: "acme", scopes: new Set(["gold"]) } };
    assert.equal(passing(9, gold), 9);
    assert.equal(passing(9, { principal: { tenant: "acme" } }), 3);
    assert.equal(passing(9, { principal: { tenant: "globex" } }), 2);
    enter({ ...gold, operation: "subscribeToTask" });
    assert.equal(
      refused({ ...gold, operation: "subscribeToTask" })?.metadata["limit"],
      "principal.streams",
    );
  });
});

describe("open streams", () => {
  const operation = "subscribeToTask";

  test("one more than there may be is refused, until one ends", (t) => {
    const { enter, refused, passing, counted } = limitsOf(t, { principal: { streams: 2 } });
    const first = enter({ operation });
    enter({ operation: "sendStreamingMessage" });
    const error = refused({ operation });
    assert.equal(error?.message, "too many open streams by this caller");
    assert.deepEqual(error.metadata, { limit: "principal.streams" });
    assert.equal(error.retryAfter, 5);
    assert.equal(passing(9), 9, "other calls take no place");
    first?.leave();
    first?.leave();
    assert.equal(passing(9, { operation }), 1);
    assert.equal(counted.size.streams, 1);
  });

  test("one that is refused for one reason takes no place for another", (t) => {
    const { enter, refused } = limitsOf(t, {
      address: { streams: 3 },
      principal: { streams: 1 },
      agent: { streams: 2 },
    });
    const at = (id: string, agent = "test") => ({ operation, agent, principal: { id } }) as const;
    const place = enter(at("alice"));
    for (let attempt = 0; attempt < 9; attempt++)
      assert.equal(refused(at("alice"))?.metadata["limit"], "principal.streams");
    enter(at("bob"));
    assert.equal(refused(at("carol"))?.metadata["limit"], "agent.streams");
    enter(at("carol", "other"));
    assert.equal(refused(at("dave", "other"))?.metadata["limit"], "address.streams");
    place?.leave();
    enter(at("dave", "other"));
  });

  test("nothing is remembered of streams that have ended", (t) => {
    const { enter, counted } = limitsOf(t, { address: { streams: 9 }, agent: { streams: 9 } });
    const places = Array.from({ length: 5 }, (_, n) => enter({ operation, agent: `a${n}` }));
    assert.equal(counted.size.streams, 6);
    for (const place of places) place?.leave();
    assert.equal(counted.size.streams, 0);
  });

  test("where streams have no limit there is nothing to hold", (t) => {
    const { enter, counted } = limitsOf(t, { principal: { streams: "off" } });
    assert.equal(enter({ operation }), undefined);
    assert.deepEqual(counted.size, { buckets: 0, streams: 0 });
  });
});

describe("the log", () => {
  test("has a line for each caller and limit every ten seconds, with how many there were", (t) => {
    const { passing, wait, log } = limitsOf(t, { principal: { rate: TWO } });
    passing(100, { principal: { tenant: "acme" } });
    passing(3, { principal: { id: "bob" } });
    wait(10_000);
    passing(50, { principal: { tenant: "acme" } });
    const limit = "principal.rate";
    assert.deepEqual(
      log.lines.map(({ level, message, fields }) => ({ level, message, ...fields })),
      [
        { limit, tenant: "acme", principal: "alice", refused: 1 },
        { limit, tenant: "", principal: "bob", refused: 1 },
        { limit, tenant: "acme", principal: "alice", refused: 98 },
      ].map((fields) => ({ level: "info", message: "past a limit", ...fields })),
    );
  });
});
