import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamInterface } from "../../../src/handlers/upstream/discovery/interfaces.ts";
import { keyOf } from "../../../src/handlers/upstream/discovery/interfaces.ts";
import { Failover, type Verdict } from "../../../src/handlers/upstream/failover.ts";
import { A2AError } from "../../../src/protocol/errors.ts";

const [a, b, c] = ["a", "b", "c"].map((host) => ({
  url: `http://${host}/`,
  binding: "JSONRPC" as const,
  version: "1.0",
})) as [UpstreamInterface, UpstreamInterface, UpstreamInterface];

const interfaces = [a, b, c];

interface Scene {
  readonly failover: Failover;
  readonly clock: { now: number };
  readonly down: Set<UpstreamInterface>;
  /** Those that were left alone so far. */
  readonly left: readonly string[];
  /** Calls once: which interfaces were tried; those in `broken` fail so. */
  call(
    broken?: ReadonlyMap<UpstreamInterface, Verdict>,
    first?: string,
    isScout?: boolean,
  ): Promise<string>;
}

function scene(): Scene {
  const clock = { now: 0 };
  const down = new Set<UpstreamInterface>();
  const left: string[] = [];
  const failover = new Failover({
    breaker: { failures: 2, cooldown: 1000 },
    now: () => clock.now,
    isDown: (target) => down.has(target),
    left: (target) => left.push(new URL(target.url).hostname),
  });
  const call: Scene["call"] = async (broken = new Map(), first, isScout = false) => {
    const tried: string[] = [];
    let end = "";
    try {
      await failover.run({
        interfaces,
        first,
        isScout,
        async work(target) {
          tried.push(new URL(target.url).hostname);
          const verdict = broken.get(target);
          if (verdict !== undefined) throw new Error(verdict);
        },
        verdictOf: (thrown) => (thrown as Error).message as Verdict,
      });
    } catch (thrown) {
      end = ` ${A2AError.is(thrown) ? thrown.reason : (thrown as Error).message}`;
    }
    return tried.join("") + end;
  };
  return { failover, clock, down, left, call };
}

test("calls the first interface", async () => {
  const { call } = scene();
  assert.equal(await call(), "a");
});

test("calls the next one when the agent cannot be reached, and stays there", async () => {
  const { call } = scene();
  assert.equal(await call(new Map([[a, "unreached"]])), "ab");
  assert.equal(await call(), "b");
  assert.equal(await call(new Map([[b, "unreached"]])), "ba");
  assert.equal(await call(), "a");
});

test("tries no other interface when the agent may have seen the call, nor when it has answered", async () => {
  const { call } = scene();
  assert.equal(await call(new Map([[a, "failed"]])), "a failed");
  assert.equal(await call(new Map([[a, "answered"]])), "a answered");
  assert.equal(await call(new Map([[a, "withdrawn"]])), "a withdrawn");
});

test("leaves an interface alone that fails again and again, then tries it once", async () => {
  const { call, clock, failover } = scene();
  const broken = new Map<UpstreamInterface, Verdict>([
    [b, "unreached"],
    [c, "unreached"],
    [a, "unreached"],
  ]);
  assert.equal(await call(broken), "abc unreached");
  assert.equal(await call(broken), "abc unreached");
  assert.equal(await call(broken), " UNAVAILABLE");
  assert.deepEqual(
    failover.status(interfaces).map(({ state }) => state),
    ["open", "open", "open"],
  );
  clock.now = 1000;
  assert.equal(await call(), "a");
});

test("says when another call makes sense", async () => {
  const { clock, failover } = scene();
  const run = () =>
    failover.run({
      interfaces: [a],
      first: undefined,
      isScout: false,
      work: () => Promise.reject(new Error("no")),
      verdictOf: () => "unreached",
    });
  await assert.rejects(run(), /no/);
  await assert.rejects(run(), /no/);
  clock.now = 400;
  await assert.rejects(run(), { reason: "UNAVAILABLE", retryAfter: 1 });
});

test("answers with errors of the agent do not open the breaker", async () => {
  const { call } = scene();
  for (let round = 0; round < 5; round++)
    assert.equal(await call(new Map([[a, "answered"]])), "a answered");
});

test("calls an interface that checks find down after the others", async () => {
  const { call, down } = scene();
  down.add(a);
  assert.equal(await call(), "b");
  down.add(b).add(c);
  assert.equal(await call(new Map([[a, "unreached"]])), "ab");
});

test("tries the interface first that a task was begun at", async () => {
  const { call } = scene();
  assert.equal(await call(new Map([[c, "unreached"]]), keyOf(c)), "ca");
});

test("asks the next one for a task that an interface does not know, unless it was begun there", async () => {
  const { call, down } = scene();
  const [unknown, unreached] = ["unknown", "unreached"] as const;
  assert.equal(await call(new Map([[a, unknown]])), "ab");
  down.add(b);
  assert.equal(await call(interfaceMap(unknown, unknown, unknown)), "acb unknown");
  assert.equal(await call(interfaceMap(unknown, unknown, unknown), keyOf(c)), "c unknown");
  assert.equal(await call(interfaceMap(unknown, unreached, unknown)), "acb unreached");
});

test("does not call a task unknown while an interface is left alone", async () => {
  const { call } = scene();
  for (let round = 0; round < 2; round++) await call(new Map([[a, "failed"]]), keyOf(a));
  const [unknown] = ["unknown"] as const;
  assert.equal(await call(interfaceMap(unknown, unknown, unknown)), "bc UNAVAILABLE");
});

function interfaceMap(...verdicts: readonly [Verdict, Verdict, Verdict]) {
  return new Map(interfaces.map((each, index) => [each, verdicts[index] ?? "failed"]));
}

test("forgets the breakers of interfaces that are gone, and keeps the others", async () => {
  const { failover } = scene();
  const attempt = (each: readonly UpstreamInterface[]) =>
    failover
      .run({
        interfaces: each,
        first: undefined,
        isScout: false,
        work: () => Promise.reject(new Error("no")),
        verdictOf: () => "failed",
      })
      .catch(() => {});
  await attempt([a, b]);
  await attempt([a, b]);
  await attempt([{ ...a }]);
  assert.deepEqual(
    failover.status([{ ...a }]).map((each) => [each.interface.url, each.state, each.isCurrent]),
    [["http://a/", "open", true]],
  );
});

test("lets a scout try what is left alone, and tells once that it is left alone", async () => {
  const { call, left } = scene();
  const broken = interfaceMap("unreached", "unreached", "unreached");
  for (let round = 0; round < 2; round++) await call(broken);
  assert.deepEqual(left, ["a", "b", "c"]);
  assert.equal(await call(broken, undefined, true), "abc unreached");
  assert.equal(await call(), " UNAVAILABLE");
  assert.deepEqual(left, ["a", "b", "c"]);
  assert.equal(await call(undefined, undefined, true), "a");
  assert.equal(await call(), "a");
});

test("tries what is left alone once a check finds that it answers", async () => {
  const { call, failover } = scene();
  const broken = interfaceMap("unreached", "unreached", "unreached");
  for (let round = 0; round < 2; round++) await call(broken);
  failover.ease(b);
  assert.equal(await call(), "b");
});

test("goes to the next interface for want of a free connection, and holds it against none", async () => {
  const { call } = scene();
  for (let round = 0; round < 5; round++)
    assert.equal(await call(interfaceMap("busy", "busy", "busy")), "abc busy");
  assert.equal(await call(), "a");
});
