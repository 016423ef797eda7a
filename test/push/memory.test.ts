import assert from "node:assert/strict";
import { test } from "node:test";
import { Memory } from "../../src/push/memory.ts";

test("keeps what was written or read last, and forgets the rest when there is too much", () => {
  const memory = new Memory<number>(3);
  for (let value = 0; value < 100; value++) {
    memory.set(`n${value}`, value);
    assert.equal(memory.get("n0"), 0);
  }
  assert.equal(memory.get("n99"), 99);
  assert.equal(memory.get("n98"), 98);
  assert.equal(memory.get("n50"), undefined);
});

test("has the last value of a name", () => {
  const memory = new Memory<number>(2);
  memory.set("a", 1);
  for (const name of ["b", "c"]) memory.set(name, 0);
  memory.set("a", 2);
  assert.equal(memory.get("a"), 2);
});
