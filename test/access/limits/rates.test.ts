import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsOf } from "./support.ts";

const PER_SECOND = { calls: 2, period: 1_000, burst: 5 };
const PER_HOUR = { calls: 3, period: 3_600_000, burst: 3 };

test("so many calls may come at once, and then one whenever a token is earned", (t) => {
  const { passing, wait } = limitsOf(t, { principal: { rate: PER_SECOND } });
  assert.equal(passing(20), 5);
  wait(499);
  assert.equal(passing(2), 0);
  wait(1);
  assert.equal(passing(2), 1);
  wait(1_000);
  assert.equal(passing(9), 2);
});

test("a bucket is never fuller than its burst", (t) => {
  const { passing, wait } = limitsOf(t, { principal: { rate: PER_SECOND } });
  assert.equal(passing(5), 5);
  wait(3_600_000);
  assert.equal(passing(20), 5);
});

test("calls at the rate itself all come through, whatever fractions of tokens there are on the way", (t) => {
  const rate = { calls: 3, period: 1_000, burst: 1 };
  const { passing, wait } = limitsOf(t, { principal: { rate } });
  for (let call = 0; call < 1_000; call++) {
    assert.equal(passing(1), 1, `call ${call}`);
    wait(334);
  }
});

test("whoever is refused is told when there is a token again, and is let in then", (t) => {
  const { passing, refused, wait } = limitsOf(t, { principal: { rate: PER_HOUR } });
  passing(3);
  assert.equal(refused()?.retryAfter, 1_200);
  wait(700_000);
  assert.equal(refused()?.retryAfter, 500);
  wait(500_000);
  assert.equal(refused(), undefined);
});

test("a caller is told what it has left, and how its limit is", (t) => {
  const { passing, refused, told, wait } = limitsOf(t, { principal: { rate: PER_HOUR } });
  passing(1);
  wait(600_000);
  passing(2);
  refused();
  const limit = { limit: "principal", most: 3, window: 3_600 };
  assert.deepEqual(told, [
    { ...limit, left: 2, next: 1_200 },
    { ...limit, left: 1, next: 600 },
    { ...limit, left: 0, next: 600 },
    { ...limit, left: 0, next: 600 },
  ]);
});

test("what is left of an agent's limit is told to nobody", (t) => {
  const { passing, told } = limitsOf(t, { agent: { rate: PER_HOUR } });
  assert.equal(passing(4), 3);
  assert.deepEqual(told, []);
});

test("a call that one limit refuses takes no token of another", (t) => {
  const { passing, refused } = limitsOf(t, {
    principal: { rate: { ...PER_HOUR, burst: 2 } },
    agent: { rate: PER_HOUR },
  });
  const bob = { principal: { id: "bob" } };
  assert.equal(passing(50), 2);
  assert.equal(passing(50, bob), 1, "the agent's third token is still there");
  assert.match(refused(bob)?.message ?? "", /^too many calls of agent test$/);
  assert.equal(passing(1, { ...bob, agent: "other" }), 1, "bob's second token is still there");
});

test("100,000 addresses are remembered in bounded memory, the last ones best", (t) => {
  const { counted, passingFrom } = limitsOf(t, { address: { rate: PER_HOUR } });
  const addressOf = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < 100_000; n++) assert.equal(passingFrom(addressOf(n), 1), 1);
  assert.equal(counted.size.buckets, 50_000);
  assert.equal(passingFrom(addressOf(99_999), 9), 2);
});

test("an address that is used all the time is remembered however many others come", (t) => {
  const { passingFrom } = limitsOf(t, { address: { rate: PER_HOUR } });
  assert.equal(passingFrom("192.0.2.1", 9), 3);
  for (let n = 0; n < 120_000; n++) {
    passingFrom(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1);
    if (n % 10_000 === 0) assert.equal(passingFrom("192.0.2.1", 1), 0);
  }
});
