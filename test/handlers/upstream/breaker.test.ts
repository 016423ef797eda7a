import assert from "node:assert/strict";
import { test } from "node:test";
import { Breaker } from "../../../src/handlers/upstream/breaker.ts";

function breakerAt(clock: { now: number }): Breaker {
  return new Breaker({ failures: 2, cooldown: 100 }, () => clock.now);
}

function openBreaker(clock: { now: number }): Breaker {
  const breaker = breakerAt(clock);
  breaker.enter()?.fail();
  breaker.enter()?.fail();
  return breaker;
}

test("stays closed while failures are not in a row", () => {
  const breaker = breakerAt({ now: 0 });
  for (let round = 0; round < 3; round++) {
    breaker.enter()?.fail();
    breaker.enter()?.succeed();
  }
  assert.equal(breaker.state(), "closed");
  assert.equal(breaker.retryAfter(), 0);
});

test("opens after so many failures in a row, and lets nothing through until it has cooled down", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  assert.equal(breaker.state(), "open");
  clock.now = 99;
  assert.equal(breaker.enter(), undefined);
  assert.equal(breaker.retryAfter(), 1);
  clock.now = 100;
  assert.equal(breaker.state(), "half-open");
});

test("lets one call try it, and closes when that succeeds", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 100;
  const probe = breaker.enter();
  assert.equal(breaker.enter(), undefined);
  probe?.succeed();
  assert.equal(breaker.state(), "closed");
  assert.ok(breaker.enter());
});

test("opens again when the one that tries fails", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 150;
  breaker.enter()?.fail();
  assert.equal(breaker.state(), "open");
  assert.equal(breaker.retryAfter(), 100);
});

test("lets another call try it when the first one says nothing", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 100;
  breaker.enter()?.withdraw();
  assert.ok(breaker.enter());
});

test("gives calls that began before it opened no say", () => {
  const clock = { now: 0 };
  const breaker = breakerAt(clock);
  const [early, late] = [breaker.enter(), breaker.enter()];
  breaker.enter()?.fail();
  breaker.enter()?.fail();
  early?.succeed();
  assert.equal(breaker.state(), "open");
  clock.now = 50;
  late?.fail();
  assert.equal(breaker.retryAfter(), 50);
});

test("takes the outcome of a call once", () => {
  const breaker = breakerAt({ now: 0 });
  const permit = breaker.enter();
  permit?.fail();
  permit?.fail();
  assert.equal(breaker.state(), "closed");
});
