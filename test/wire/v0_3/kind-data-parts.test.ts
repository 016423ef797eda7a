import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unwrapped, wrapped } from "../../../src/wire/v0_3/data-parts.ts";
import { jsonValue } from "../arbitraries.ts";

const marked = { data_part_compat: true };

test("an object is its own form in 0.3", () => {
  assert.deepEqual(wrapped({ value: 1 }), { data: { value: 1 } });
  assert.deepEqual(wrapped({ a: 1 }, { b: 2 }), { data: { a: 1 }, metadata: { b: 2 } });
});

test("another value is wrapped, and marked in the metadata", () => {
  assert.deepEqual(wrapped(null), { data: { value: null }, metadata: marked });
  assert.deepEqual(wrapped([1], { b: 2 }), {
    data: { value: [1] },
    metadata: { b: 2, data_part_compat: true },
  });
});

test("only what is marked is unwrapped", () => {
  assert.deepEqual(unwrapped({ value: 1 }), { data: { value: 1 } });
  assert.deepEqual(unwrapped({ value: 1 }, {}), { data: { value: 1 }, metadata: {} });
  assert.deepEqual(unwrapped({ value: 1 }, marked), { data: 1 });
  assert.deepEqual(unwrapped({ a: 1 }, marked), { data: { a: 1 }, metadata: marked });
});

test("every value comes back as it was", () => {
  fc.assert(
    fc.property(jsonValue, (value) => {
      const { data, metadata } = wrapped(value);
      assert.deepEqual(unwrapped(data, metadata), { data: value });
    }),
  );
});
