import assert from "node:assert/strict";
import { test } from "node:test";
import { createIds } from "../src/ids.ts";

test("ids are UUIDs of version 7, each greater than the one before", () => {
  const newId = createIds();
  const ids = Array.from({ length: 20_000 }, newId);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids begin with the time, and go on from the last one when the clock is set back", () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const newId = createIds(() => now);
  const first = newId();
  assert.equal(Number.parseInt(first.replaceAll("-", "").slice(0, 12), 16), now);
  now -= 60_000;
  assert.ok(newId() > first);
});
