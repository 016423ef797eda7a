import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "../../src/access/bounded-map.ts";

test("the entry that was set longest ago makes room", () => {
  const map = new BoundedMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  assert.deepEqual([map.get("a"), map.get("b"), map.get("c")], [3, undefined, 4]);
});

test("a deleted entry leaves room", () => {
  const map = new BoundedMap<number>(1);
  map.set("a", 1);
  map.delete("a");
  map.set("b", 2);
  assert.deepEqual([map.get("a"), map.get("b")], [undefined, 2]);
});
