import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffOf } from "../../../src/handlers/upstream/timers.ts";

const BACKOFF = { first: 200, most: 5_000 };

test("waits twice as long after each failure, up to the longest wait", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => backoffOf(failures, BACKOFF, 1));
  assert.deepEqual(waits, [200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});

test("waits somewhere between half of that and all of it", () => {
  assert.deepEqual(
    [0, 0.5, 1].map((random) => backoffOf(1, BACKOFF, random)),
    [100, 150, 200],
  );
});
