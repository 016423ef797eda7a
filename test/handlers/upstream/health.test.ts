import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import type { UpstreamInterface } from "../../../src/handlers/upstream/discovery/interfaces.ts";
import { checkInterface } from "../../../src/handlers/upstream/health/check.ts";
import { HealthChecks } from "../../../src/handlers/upstream/health/health.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { CARD_PATH, ManualTimers, serve, type TestServer } from "./support.ts";

const signal = new AbortController().signal;

function rpcAt(url: string): UpstreamInterface {
  return { url, binding: "JSONRPC", version: "1.0" };
}

test("checks on an interval, keeps what it found, and writes what changes", async () => {
  const [a, b] = [rpcAt("http://a/"), rpcAt("http://b/")];
  const broken = new Set([a]);
  const up: UpstreamInterface[] = [];
  const timers = new ManualTimers();
  const log = new RecordedLog();
  const checks = HealthChecks.open({
    interval: 30_000,
    interfaces: () => [a, b],
    async check(target) {
      if (broken.has(target)) throw new Error("no route");
    },
    isUp: (target) => up.push(target),
    timers,
    log,
  });
  assert.equal(checks.isDown(a), false);
  assert.deepEqual(timers.waits, [30_000]);
  timers.pass(30_000);
  await log.until(({ message }) => message === "an interface of the agent is down");
  await checks.checkAll();
  assert.deepEqual(checks.of(a), { isUp: false, checkedAt: timers.now(), problem: "no route" });
  assert.deepEqual(checks.of(b)?.isUp, true);
  assert.deepEqual(new Set(up), new Set([b]));

  broken.clear();
  await checks.checkAll();
  assert.equal(checks.isDown(a), false);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields["interface"]]),
    [
      ["warn", "JSONRPC 1.0 http://a/"],
      ["info", "JSONRPC 1.0 http://a/"],
    ],
  );
  checks.close();
  assert.deepEqual(timers.waits, []);
});

test("checks soon after an interface was lost, then later and later", async () => {
  const timers = new ManualTimers();
  let checked = 0;
  const checks = HealthChecks.open({
    interval: 5_000,
    interfaces: () => [rpcAt("http://a/")],
    check: async () => void (checked += 1),
    isUp: () => undefined,
    timers,
    log: new RecordedLog(),
  });
  checks.hasten();
  const waits = [];
  for (let round = 0; round < 5; round++) {
    const [wait = 0] = timers.waits;
    waits.push(wait);
    timers.pass(wait);
    await checks.checkAll();
    while (timers.waits.length === 0) await immediate();
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 5_000, 5_000]);
  assert.equal(checked, 5);
  checks.close();
});

test("checks nothing where that is switched off", () => {
  const timers = new ManualTimers();
  const checks = HealthChecks.open({
    interval: 0,
    interfaces: () => assert.fail(),
    check: () => assert.fail(),
    isUp: () => assert.fail(),
    timers,
    log: new RecordedLog(),
  });
  checks.hasten();
  assert.deepEqual(timers.waits, []);
});

function check(target: UpstreamInterface, { url }: TestServer): Promise<void> {
  const cards = () => [{ base: url, url: url + CARD_PATH, json: {}, etag: '"1"', fetchedAt: 0 }];
  return checkInterface(target, { cards, headers: async () => ({}), tls: {} }, signal);
}

test("asks for the card where the interface is on the same server", async (context) => {
  let status = 304;
  const server = await serve(context, (_request, response) => response.writeHead(status).end());
  const target = rpcAt(`${server.url}/rpc`);
  await check(target, server);
  status = 404;
  await check(target, server);
  status = 503;
  await assert.rejects(check(target, server), /the server answers 503/);
  assert.deepEqual(server.asked, Array(3).fill(`GET ${CARD_PATH}`));
});

test("connects where the card is elsewhere, and to gRPC", async (context) => {
  const server = await serve(context, (_request, response) => response.end());
  const other = await serve(context, (_request, response) => response.end());
  const { host } = new URL(other.url);
  const targets = [
    rpcAt(`${other.url}/rpc`),
    { url: host, binding: "GRPC", version: "0.3" },
    { url: `http://${host}`, binding: "GRPC", version: "1.0" },
  ] as const;
  for (const target of targets) await check(target, server);
  assert.deepEqual([...server.asked, ...other.asked], []);
  await other.close();
  for (const target of targets) await assert.rejects(check(target, server), /ECONNREFUSED/);
});

test("finds an interface down that is to speak TLS and does not", async (context) => {
  const server = await serve(context, (_request, response) => response.end());
  const url = server.url.replace("http:", "https:");
  await assert.rejects(check({ url, binding: "GRPC", version: "1.0" }, server));
});

test("stops checking when it is told to", async (context) => {
  const server = await serve(context, (_request, response) => response.end());
  const target = { url: server.url, binding: "GRPC", version: "1.0" } as const;
  const deps = { cards: () => [], headers: async () => ({}), tls: {} };
  await assert.rejects(checkInterface(target, deps, AbortSignal.abort()), /in time/);
});
