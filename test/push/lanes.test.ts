import assert from "node:assert/strict";
import { test } from "node:test";
import { holdClaim, type HeldClaim } from "../../src/push/held-claim.ts";
import { Lanes } from "../../src/push/lanes.ts";
import { configOf, deliveryOf } from "./support/parts.ts";

function heldFor(host: string, id: string, takenAt = 0): HeldClaim {
  const config = configOf(`https://${host}/`, { id });
  return holdClaim({ config, deliveries: [deliveryOf(1)], isFirst: true }, takenAt, 30_000);
}

/** Fills the lanes with claims of the hosts, named `a1`, `a2`, … */
function lanesWith(places: number, mostOfHost: number, counts: Readonly<Record<string, number>>) {
  const lanes = new Lanes(places, mostOfHost);
  for (const [host, count] of Object.entries(counts))
    for (let place = 1; place <= count; place++) lanes.add(heldFor(host, `${host}${place}`));
  return lanes;
}

function startedOf(lanes: Lanes): HeldClaim[] {
  const started: HeldClaim[] = [];
  for (let held = lanes.next(); held; held = lanes.next()) started.push(held);
  return started;
}

const idsOf = (claims: readonly HeldClaim[]) => claims.map(({ key }) => key.id);

test("hosts take turns, each up to its limit", () => {
  const lanes = lanesWith(10, 3, { a: 5, b: 2, c: 1 });
  assert.deepEqual(idsOf(startedOf(lanes)), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(lanes.waiting, 2);
});

test("no more run than there are places", () => {
  const lanes = lanesWith(2, 2, { a: 3, b: 3 });
  const [first = assert.fail()] = startedOf(lanes);
  assert.deepEqual(startedOf(lanes), []);
  lanes.end(first, "delivered");
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2"]);
});

test("a host that fails gets fewer places, down to a quarter, and more again when it does not", () => {
  const lanes = lanesWith(100, 8, { a: 60 });
  let running = startedOf(lanes);
  const after = (isDelivered: boolean): number => {
    const [first = assert.fail(), ...rest] = running;
    lanes.end(first, isDelivered ? "delivered" : "retry");
    running = [...rest, ...startedOf(lanes)];
    return running.length;
  };
  assert.equal(running.length, 8);
  for (let time = 0; time < 10; time++) after(false);
  assert.equal(running.length, 2);
  for (let time = 0; time < 10; time++) after(true);
  assert.equal(running.length, 8);
});

test("what waits too long for its host is parked, runs in its turn, and more is parked behind it", () => {
  const lanes = lanesWith(10, 1, { a: 3, b: 2 });
  const [a1 = assert.fail(), b1 = assert.fail()] = startedOf(lanes);
  lanes.park(0);
  assert.deepEqual([lanes.waiting, lanes.parked], [3, 0]);
  lanes.park(1);
  assert.deepEqual([lanes.waiting, lanes.parked], [0, 3]);
  lanes.add(heldFor("a", "a4"));
  lanes.add(heldFor("c", "c1"));
  lanes.add(heldFor("c", "c2"));
  assert.deepEqual(idsOf(startedOf(lanes)), ["c1"]);
  assert.deepEqual([lanes.waiting, lanes.parked], [1, 4]);
  lanes.end(a1, "delivered");
  lanes.end(b1, undefined);
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2", "b2"]);
  lanes.add(heldFor("b", "b3"));
  assert.deepEqual([lanes.waiting, lanes.parked], [2, 2]);
});

test("no more is parked than can be kept", () => {
  const lanes = lanesWith(10, 1, { a: 2 });
  startedOf(lanes);
  lanes.park(1);
  let count = 1;
  while (lanes.add(heldFor("a", `more${count}`))) count++;
  assert.equal(count, 2048);
  assert.equal(lanes.parked, 2048);
  assert.equal(lanes.add(heldFor("b", "b1")), true);
});

test("what waits because all places are taken is not parked", () => {
  const lanes = lanesWith(1, 1, { a: 2 });
  startedOf(lanes);
  lanes.park(1);
  assert.equal(lanes.parked, 0);
});

test("what was cut while it waited is passed over", () => {
  const lanes = lanesWith(10, 1, {});
  const claims = ["a1", "a2"].map((id) => heldFor("a", id));
  for (const held of claims) lanes.add(held);
  claims[0]?.cut.abort();
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2"]);
});
