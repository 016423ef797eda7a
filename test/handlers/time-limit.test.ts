import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, startLimit } from "../../src/handlers/time-limit.ts";

/** A limit with its turn, and how often it stopped it. */
function limit(timeout: number, turn = new AbortController()) {
  const stopped = { times: 0 };
  const started = startLimit(timeout, turn.signal, () => stopped.times++);
  return { turn, stopped, ...started };
}

test("stops after the time, and says that it was the time", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { isPassed, stopped, lift } = limit(50);
  t.mock.timers.tick(49);
  assert.deepEqual([stopped.times, isPassed()], [0, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([stopped.times, isPassed()], [1, true]);
  lift();
});

test("stops with the turn, also with one that is aborted already", () => {
  const { turn, stopped, isPassed } = limit(0);
  turn.abort();
  assert.deepEqual([stopped.times, isPassed()], [1, false]);
  assert.equal(limit(0, turn).stopped.times, 1);
});

test("stops nothing once it is lifted", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { turn, stopped, lift } = limit(50);
  lift();
  turn.abort();
  t.mock.timers.tick(100);
  assert.equal(stopped.times, 0);
});

test("writes durations in seconds where they are whole", () => {
  assert.deepEqual([durationText(2000), durationText(150)], ["2 s", "150 ms"]);
});
