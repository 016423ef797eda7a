import assert from "node:assert/strict";
import { test } from "node:test";
import { holdClaim, type HeldClaim } from "../../src/push/held-claim.ts";
import type { Place } from "../../src/push/lane.ts";
import { Lanes } from "../../src/push/lanes.ts";
import { configOf, deliveryOf } from "./support/parts.ts";

interface Fields {
  readonly takenAt?: number;
  readonly owner?: string;
  readonly machine?: string;
}

/** A claim of that id for `host`, which is a machine of its own unless said otherwise. */
function heldFor(host: string, id: string, fields: Fields = {}): HeldClaim {
  const { takenAt = 0, owner = "", machine = host } = fields;
  const config = configOf(`https://${host}/`, { id, owner });
  const claim = { config, deliveries: [deliveryOf(1)], isFirst: true };
  return holdClaim(claim, { takenAt, until: 30_000 }, { machineOf: () => machine });
}

/** Makes hosts known as such that answer at once, or slowly. */
function learn(lanes: Lanes, hosts: readonly string[], isSlow: boolean): void {
  for (const host of hosts) {
    lanes.add(heldFor(host, "first"));
    for (const place of startedOf(lanes)) lanes.end(place, "delivered", isSlow);
  }
}

/** Lanes with claims of hosts that answer at once, named `a1`, `a2`, … */
function lanesWith(places: number, mostOfHost: number, counts: Readonly<Record<string, number>>) {
  const lanes = new Lanes(places, mostOfHost);
  learn(lanes, Object.keys(counts), false);
  for (const [host, count] of Object.entries(counts))
    for (let place = 1; place <= count; place++) lanes.add(heldFor(host, `${host}${place}`));
  return lanes;
}

function startedOf(lanes: Lanes): Place[] {
  const started: Place[] = [];
  for (let place = lanes.next(); place; place = lanes.next()) started.push(place);
  return started;
}

const idsOf = (places: readonly Place[]) => places.map(({ held }) => held.key.id);

/** How many of so many hosts are sent to at a time. */
function startedOfHosts(lanes: Lanes, count: number, fields: Fields = {}): number {
  for (let host = 0; host < count; host++)
    lanes.add(heldFor(`h${host}.example`, `h${host}`, fields));
  return startedOf(lanes).length;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example`);

test("hosts take turns, each up to its limit", () => {
  const lanes = lanesWith(20, 3, { a: 5, b: 2, c: 1 });
  assert.deepEqual(idsOf(startedOf(lanes)), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(lanes.waiting, 2);
});

test("no more run than there are places", () => {
  const lanes = lanesWith(2, 2, { a: 3, b: 3 });
  const [first = assert.fail()] = startedOf(lanes);
  assert.deepEqual(startedOf(lanes), []);
  lanes.end(first, "delivered", false);
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2"]);
});

test("a host that fails gets fewer places, down to a quarter, and more again when it does not", () => {
  const lanes = lanesWith(100, 8, { a: 60 });
  let running = startedOf(lanes);
  const after = (isDelivered: boolean): number => {
    const [first = assert.fail(), ...rest] = running;
    lanes.end(first, isDelivered ? "delivered" : "retry", false);
    running = [...rest, ...startedOf(lanes)];
    return running.length;
  };
  assert.equal(running.length, 8);
  for (let time = 0; time < 10; time++) after(false);
  assert.equal(running.length, 2);
  for (let time = 0; time < 10; time++) after(true);
  assert.equal(running.length, 8);
});

test("hosts that were slow have less than half of the places, however many there are", () => {
  const lanes = new Lanes(64, 16);
  learn(lanes, names(300), true);
  assert.equal(startedOfHosts(lanes, 300), 24);
});

test("hosts that were never tried have half of the places together with slow ones", () => {
  const lanes = new Lanes(64, 16);
  learn(lanes, names(300), true);
  assert.equal(startedOfHosts(lanes, 600), 32);
});

test("a host that answers has a place at once while all others hang", () => {
  const lanes = lanesWith(64, 16, { good: 0 });
  startedOfHosts(lanes, 300);
  lanes.add(heldFor("good", "good"));
  assert.deepEqual(idsOf(startedOf(lanes)), ["good"]);
});

test("the hosts and ports of a machine leave places to those of others", () => {
  for (const [isSlow, most] of [
    [undefined, 24],
    [true, 8],
    [false, 32],
  ] as const) {
    const lanes = new Lanes(64, 16);
    if (isSlow !== undefined) learn(lanes, names(300), isSlow);
    assert.equal(startedOfHosts(lanes, 300, { machine: "m" }), most);
    lanes.add(heldFor("other", "other"));
    assert.deepEqual(idsOf(startedOf(lanes)), ["other"]);
  }
});

test("an owner has a quarter of the places for hosts that may hang", () => {
  const lanes = new Lanes(64, 16);
  assert.equal(startedOfHosts(lanes, 300, { owner: "ann" }), 16);
  lanes.add(heldFor("other", "other", { owner: "bob" }));
  assert.deepEqual(idsOf(startedOf(lanes)), ["other"]);
});

test("who waits for a share of the places runs when one of them is free", () => {
  const lanes = new Lanes(8, 2);
  for (const host of ["a", "b", "c", "d"]) lanes.add(heldFor(host, host, { machine: "m" }));
  const [first = assert.fail(), ...others] = startedOf(lanes);
  assert.equal(others.length, 2);
  lanes.end(first, "delivered", false);
  assert.deepEqual(idsOf(startedOf(lanes)), ["d"]);
});

test("what waits for a host that turns out to be slow waits with the slow ones", () => {
  const lanes = lanesWith(8, 4, { a: 6 });
  const [first = assert.fail(), ...others] = startedOf(lanes);
  assert.equal(others.length, 3);
  lanes.end(first, "retry", true);
  assert.deepEqual(idsOf(startedOf(lanes)), ["a5"]);
  assert.deepEqual(lanes.park(0), []);
  assert.deepEqual([lanes.waiting, lanes.parked], [0, 1]);
  for (const place of others) lanes.end(place, "delivered", false);
  assert.deepEqual(idsOf(startedOf(lanes)), ["a6"]);
});

test("what waits too long for its host is parked, runs in its turn, and more is parked behind it", () => {
  const lanes = lanesWith(10, 1, { a: 3, b: 2 });
  const [a1 = assert.fail(), b1 = assert.fail()] = startedOf(lanes);
  lanes.park(999);
  assert.deepEqual([lanes.waiting, lanes.parked], [3, 0]);
  lanes.park(1000);
  assert.deepEqual([lanes.waiting, lanes.parked], [0, 3]);
  lanes.add(heldFor("a", "a4"));
  lanes.add(heldFor("c", "c1"));
  lanes.add(heldFor("c", "c2"));
  assert.deepEqual(idsOf(startedOf(lanes)), ["c1"]);
  assert.deepEqual([lanes.waiting, lanes.parked], [1, 4]);
  lanes.end(a1, "delivered", false);
  lanes.end(b1, undefined, false);
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2", "b2"]);
  lanes.add(heldFor("b", "b3"));
  assert.deepEqual([lanes.waiting, lanes.parked], [2, 2]);
});

test("no more is parked than can be kept, and what is too much is let go", () => {
  const lanes = lanesWith(10, 1, { a: 2 });
  startedOf(lanes);
  lanes.park(1000);
  let count = 1;
  while (lanes.add(heldFor("a", `more${count}`))) count++;
  assert.equal(count, 2048);
  assert.equal(lanes.parked, 2048);
  assert.deepEqual(startedOfHosts(lanes, 10), 5);
  assert.deepEqual(lanes.park(99), []);
  assert.equal(lanes.park(100).length, 5);
  assert.deepEqual([lanes.waiting, lanes.parked], [0, 2048]);
});

test("what waits because all places are taken is not parked", () => {
  const lanes = lanesWith(2, 2, { a: 2, b: 1 });
  startedOf(lanes);
  assert.deepEqual(lanes.park(1000), []);
  assert.deepEqual([lanes.waiting, lanes.parked], [1, 0]);
});

test("what was cut while it waited is passed over", () => {
  const lanes = lanesWith(10, 1, {});
  const claims = ["a1", "a2"].map((id) => heldFor("a", id));
  for (const held of claims) lanes.add(held);
  claims[0]?.cut.abort();
  assert.deepEqual(idsOf(startedOf(lanes)), ["a2"]);
});

test("everything that waits can be taken out, whatever it waits for", () => {
  const lanes = lanesWith(4, 1, { a: 2 });
  startedOfHosts(lanes, 5);
  lanes.park(5000);
  assert.equal(lanes.clear().length, 4);
  assert.deepEqual([lanes.waiting, lanes.parked], [0, 0]);
});
