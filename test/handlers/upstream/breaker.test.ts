import assert from "node:assert/strict";
import { test } from "node:test";
import { Breaker } from "../../../src/handlers/upstream/breaker.ts";

function breakerAt(clock: { now: number }): Breaker {
  return new Breaker({ failures: 2, cooldown: 100 }, () => clock.now);
}

function openBreaker(clock: { now: number }): Breaker {
  const breaker = breakerAt(clock);
  breaker.enter(false)?.fail();
  breaker.enter(false)?.fail();
  return breaker;
}

test("stays closed while failures are not in a row", () => {
  const breaker = breakerAt({ now: 0 });
  for (let round = 0; round < 3; round++) {
    breaker.enter(false)?.fail();
    breaker.enter(false)?.succeed();
  }
  assert.equal(breaker.state(), "closed");
  assert.equal(breaker.retryAfter(), 0);
});

test("opens after so many failures in a row, and lets nothing through until it has cooled down", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  assert.equal(breaker.state(), "open");
  clock.now = 99;
  assert.equal(breaker.enter(false), undefined);
  assert.equal(breaker.retryAfter(), 1);
  clock.now = 100;
  assert.equal(breaker.state(), "half-open");
});

test("lets one call try it, and closes when that succeeds", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 100;
  const probe = breaker.enter(false);
  assert.equal(breaker.enter(false), undefined);
  probe?.succeed();
  assert.equal(breaker.state(), "closed");
  assert.ok(breaker.enter(false));
});

test("opens again when the one that tries fails", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 150;
  breaker.enter(false)?.fail();
  assert.equal(breaker.state(), "open");
  assert.equal(breaker.retryAfter(), 100);
});

test("lets another call try it when the first one says nothing", () => {
  const clock = { now: 0 };
  const breaker = openBreaker(clock);
  clock.now = 100;
  breaker.enter(false)?.withdraw();
  assert.ok(breaker.enter(false));
});

test("gives calls that began before it opened no say", () => {
  const clock = { now: 0 };
  const breaker = breakerAt(clock);
  const [early, late] = [breaker.enter(false), breaker.enter(false)];
  breaker.enter(false)?.fail();
  breaker.enter(false)?.fail();
  early?.succeed();
  assert.equal(breaker.state(), "open");
  clock.now = 50;
  late?.fail();
  assert.equal(breaker.retryAfter(), 50);
});

test("takes the outcome of a call once", () => {
  const breaker = breakerAt({ now: 0 });
  const permit = breaker.enter(false);
  permit?.fail();
  permit?.fail();
  assert.equal(breaker.state(), "closed");
});

test("counts failures of calls that were under way together once", () => {
  const breaker = breakerAt({ now: 0 });
  const together = Array.from({ length: 100 }, () => breaker.enter(false));
  for (const permit of together) permit?.fail();
  assert.equal(breaker.state(), "closed");
  breaker.enter(false)?.fail();
  assert.equal(breaker.state(), "open");
});

test("lets one scout through before it has cooled down, and closes when that succeeds", () => {
  const breaker = openBreaker({ now: 0 });
  const scout = breaker.enter(true);
  assert.equal(breaker.enter(true), undefined);
  assert.equal(breaker.enter(false), undefined);
  scout?.succeed();
  assert.equal(breaker.state(), "closed");
});

test("has cooled down when somebody finds that it may work again", () => {
  const breaker = openBreaker({ now: 0 });
  breaker.ease();
  assert.equal(breaker.state(), "half-open");
  breaker.enter(false)?.fail();
  assert.equal(breaker.state(), "open");
});

test("stays closed when it is eased while it is closed", () => {
  const breaker = breakerAt({ now: 0 });
  breaker.ease();
  assert.equal(breaker.state(), "closed");
});
