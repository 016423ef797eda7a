import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { Reattachments, type Leave } from "../../../src/handlers/upstream/reattachments.ts";
import { ManualTimers } from "./support.ts";

interface Scene {
  readonly timers: ManualTimers;
  /** Those that were let go and have not ended. */
  readonly gone: Leave[];
  /** How many were let go so far. */
  count(): number;
  ask(pause: number, signal?: AbortSignal): void;
}

function scene(): Scene {
  const timers = new ManualTimers();
  const reattachments = new Reattachments(timers);
  const gone: Leave[] = [];
  let count = 0;
  const ask = async (pause: number, signal = new AbortController().signal): Promise<void> => {
    const leave = await reattachments.leave({ pause, signal });
    if (leave === undefined) return;
    count += 1;
    gone.push(leave);
  };
  return { timers, gone, count: () => count, ask: (...asked) => void ask(...asked) };
}

function times(count: number, act: () => void): void {
  for (let index = 0; index < count; index++) act();
}

test("lets 16 go at a time, however many ask at once", async () => {
  const { ask, gone, count } = scene();
  times(10_000, () => ask(0));
  await settled();
  assert.equal(count(), 16);
  for (const leave of gone.splice(0, 3)) leave.end(false);
  await settled();
  assert.equal(count(), 19);
});

test("lets one of those that wait try in each round, the one that has waited longest", async () => {
  const { ask, gone, timers } = scene();
  times(3, () => ask(60_000));
  for (const expected of [1, 2, 3]) {
    timers.pass(1_000);
    await settled();
    assert.equal(gone.length, expected);
  }
  assert.ok(gone.every(({ isScout }) => isScout));
  timers.pass(1_000);
  assert.deepEqual(timers.waits, []);
});

test("lets two more go with each that succeeds, and none with one that fails", async () => {
  const { ask, gone, timers, count } = scene();
  times(1_000, () => ask(60_000));
  timers.pass(1_000);
  await settled();
  gone.pop()?.end(false);
  await settled();
  assert.equal(count(), 1);
  timers.pass(1_000);
  const counts = [];
  for (let round = 0; round < 6; round++) {
    await settled();
    counts.push(gone.length);
    for (const leave of gone.splice(0)) leave.end(true);
  }
  assert.deepEqual(counts, [1, 2, 4, 8, 16, 16]);
});

test("counts one success once", async () => {
  const { ask, gone, timers, count } = scene();
  times(10, () => ask(60_000));
  timers.pass(1_000);
  await settled();
  times(3, () => gone[0]?.end(true));
  await settled();
  assert.equal(count(), 3);
});

test("lets one go after its time whatever becomes of the others", async () => {
  const { ask, gone, timers } = scene();
  times(5, () => ask(60_000));
  ask(500);
  timers.pass(500);
  await settled();
  assert.deepEqual(
    gone.map(({ isScout }) => isScout),
    [false],
  );
});

test("does not let those that are slow keep back the others", async () => {
  const { ask, timers, count } = scene();
  times(40, () => ask(0));
  for (const expected of [16, 32, 40]) {
    await settled();
    assert.equal(count(), expected);
    timers.pass(1_000);
  }
});

test("forgets those that ask no longer", async () => {
  const { ask, timers, count } = scene();
  const leaving = new AbortController();
  times(20, () => ask(0, leaving.signal));
  times(5, () => ask(60_000, leaving.signal));
  await settled();
  leaving.abort();
  ask(60_000, leaving.signal);
  await settled();
  timers.pass(1_000);
  await settled();
  assert.equal(count(), 16);
  timers.pass(60_000);
  assert.deepEqual(timers.waits, []);
});
