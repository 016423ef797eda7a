import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOfAnswer, outcomeOfFailure } from "../../src/push/retry.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const SETTINGS = {
  attempts: 8,
  backoff: { first: 1000, most: 300_000, retryAfter: 3_600_000 },
};

const triedAt = (attempt: number, random = 0) => ({ attempt, now: NOW, random });

/** Milliseconds until the next try after an answer. */
function waitAfter(status: number, retryAfter: string | undefined, attempt = 1): number {
  const reply = { kind: "answered", status, retryAfter } as const;
  const outcome = outcomeOfAnswer(reply, triedAt(attempt), SETTINGS);
  assert.equal(outcome.kind, "retry");
  return outcome.at - NOW;
}

test("eight tries take about ten minutes, each wait three times the one before up to the most", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => waitAfter(500, undefined, attempt) / 1000);
  assert.deepEqual(waits, [1, 3, 9, 27, 81, 243, 300]);
  assert.deepEqual(outcomeOfFailure("cut", triedAt(8), SETTINGS), {
    kind: "dead",
    problem: "cut; given up after 8 tries",
  });
});

test("chance takes up to a fifth off a wait", () => {
  const at = (random: number): number => {
    const outcome = outcomeOfFailure("cut", triedAt(3, random), SETTINGS);
    assert.equal(outcome.kind, "retry");
    return outcome.at - NOW;
  };
  assert.deepEqual([at(0), at(0.5), at(1)], [9000, 8100, 7200]);
});

for (const [retryAfter, wait] of [
  ["120", 120_000],
  [" 120 ", 120_000],
  ["0", 1000],
  ["Thu, 01 Jan 2026 00:05:00 GMT", 300_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 1000],
  ["86400", 3_600_000],
  ["soon", 1000],
  ["1.5e9 seconds", 1000],
  ["99999999999999999999", 1000],
  ["", 1000],
  [undefined, 1000],
] as const)
  test(`Retry-After ${JSON.stringify(retryAfter)} is a wait of ${wait} ms`, () => {
    assert.equal(waitAfter(429, retryAfter), wait);
    assert.equal(waitAfter(503, retryAfter), wait);
  });

test("a receiver that asks for less does not shorten the wait", () => {
  assert.equal(waitAfter(429, "2", 5), 81_000);
});
