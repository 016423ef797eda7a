import assert from "node:assert/strict";
import { test } from "node:test";
import { LoginGuard, type Attempt } from "../../src/access/login-guard.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { HandClock } from "./support/access.ts";

const ALICE = { address: "192.0.2.1", name: "alice" };

function newGuard() {
  const clock = new HandClock(0);
  const guard = new LoginGuard(clock.now);
  const fail = (attempt: Attempt, times = 1): void => {
    for (let i = 0; i < times; i++) guard.failed(attempt);
  };
  return { clock, guard, fail };
}

/** Seconds for which the door stays closed; 0 when it is open. */
function waitOf(guard: LoginGuard, attempt: Attempt): number {
  try {
    guard.check(attempt);
    return 0;
  } catch (thrown) {
    assert.ok(A2AError.is(thrown));
    assert.equal(thrown.reason, "RATE_LIMITED");
    return thrown.retryAfter ?? assert.fail("says when to come back");
  }
}

test("a few failures have no effect, each further one closes for twice as long, up to a minute", () => {
  const { guard, fail } = newGuard();
  fail(ALICE, 5);
  const waits = Array.from({ length: 9 }, () => {
    const wait = waitOf(guard, ALICE);
    fail(ALICE);
    return wait;
  });
  assert.deepEqual(waits, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
});

test("the door opens again by itself, and a quiet quarter of an hour clears the count", () => {
  const { clock, guard, fail } = newGuard();
  fail(ALICE, 6);
  clock.time += 999;
  assert.notEqual(waitOf(guard, ALICE), 0);
  clock.time += 1;
  assert.equal(waitOf(guard, ALICE), 0);
  clock.time += 15 * 60_000;
  fail(ALICE, 5);
  assert.equal(waitOf(guard, ALICE), 0);
});

test("a login clears the failures of the name at the address, not those of the address", () => {
  const { guard, fail } = newGuard();
  fail(ALICE, 5);
  guard.succeeded(ALICE);
  fail(ALICE, 5);
  assert.equal(waitOf(guard, ALICE), 0);
  fail({ address: ALICE.address, name: undefined }, 40);
  guard.succeeded(ALICE);
  fail({ address: ALICE.address, name: undefined });
  assert.equal(waitOf(guard, { address: ALICE.address, name: "bob" }), 1);
});

test("whoever tries one name from many addresses is kept out of that name, for half a minute at most", () => {
  const { guard, fail } = newGuard();
  for (let i = 0; i < 200; i++) fail({ address: `198.51.100.${i}`, name: "alice" });
  assert.equal(waitOf(guard, { address: "203.0.113.1", name: "alice" }), 30);
  assert.equal(waitOf(guard, { address: "203.0.113.1", name: "bob" }), 0);
});

test("whoever tries many names from one address is kept out, for ten seconds at most", () => {
  const { guard, fail } = newGuard();
  for (let i = 0; i < 200; i++) fail({ address: "192.0.2.1", name: `user${i}` });
  assert.equal(waitOf(guard, { address: "192.0.2.1", name: "carol" }), 10);
  assert.equal(waitOf(guard, { address: "192.0.2.1", name: undefined }), 10);
  assert.equal(waitOf(guard, { address: "192.0.2.2", name: "carol" }), 0);
});

test("whoever logged in there lately is not kept out by the failures of others", () => {
  const { clock, guard, fail } = newGuard();
  guard.succeeded(ALICE);
  for (let i = 0; i < 200; i++) fail({ address: ALICE.address, name: `user${i}` });
  for (let i = 0; i < 200; i++) fail({ address: `198.51.100.${i}`, name: "alice" });
  assert.equal(waitOf(guard, ALICE), 0);
  fail(ALICE, 6);
  assert.equal(waitOf(guard, ALICE), 1);
  clock.time += 24 * 60 * 60_000;
  for (let i = 0; i < 200; i++) fail({ address: `198.51.100.${i}`, name: "alice" });
  assert.equal(waitOf(guard, ALICE), 30);
});

test("addresses of one IPv6 network count as one", () => {
  const { guard, fail } = newGuard();
  for (let i = 0; i < 200; i++) fail({ address: `2001:db8::${i}`, name: undefined });
  assert.equal(waitOf(guard, { address: "2001:db8::ffff", name: "alice" }), 10);
  assert.equal(waitOf(guard, { address: "2001:db8:0:1::1", name: "alice" }), 0);
});

test("keeps nobody out for longer when the clock is set back", () => {
  const { clock, guard, fail } = newGuard();
  clock.time = 3_600_000;
  fail(ALICE, 8);
  assert.equal(waitOf(guard, ALICE), 4);
  clock.time = 0;
  assert.equal(waitOf(guard, ALICE), 4);
  clock.time += 4_000;
  assert.equal(waitOf(guard, ALICE), 0);
});
