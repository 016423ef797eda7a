import assert from "node:assert/strict";
import { test } from "node:test";
import { steady } from "../src/steady-clock.ts";

test("goes on from where it was when the clock is set back", () => {
  const reads = [100, 110, 20, 25, 5_000, 4_000, 4_001];
  const now = steady(() => reads.shift() ?? assert.fail("asked too often"));
  const times = Array.from({ length: 7 }, () => now());
  assert.deepEqual(times, [100, 110, 110, 115, 5_090, 5_090, 5_091]);
});
