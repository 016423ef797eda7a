import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "../../src/core/queue.ts";

test("a queue gives entries back in their order, whatever comes between", () => {
  const queue = new Queue<number>();
  const taken: number[] = [];
  for (let n = 0; n < 1_000; n++) {
    queue.push(n);
    if (n % 3 > 0) taken.push(queue.shift() ?? -1);
  }
  assert.equal(queue.length, 1_000 - taken.length);
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) taken.push(entry);
  assert.deepEqual(
    taken,
    Array.from({ length: 1_000 }, (_, n) => n),
  );
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.length, 0);
});

test("a cleared queue is empty and can be used again", () => {
  const queue = new Queue<string>();
  queue.push("a");
  queue.push("b");
  queue.shift();
  queue.clear();
  assert.equal(queue.shift(), undefined);
  queue.push("c");
  assert.equal(queue.shift(), "c");
});
