import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback } from "../src/loopback.ts";

for (const host of ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
  test(`only this machine reaches ${host}`, () => {
    assert.equal(isLoopback(host), true);
  });

for (const host of [
  "127.evil.example",
  "127.0.0.1.example",
  "127.",
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "",
])
  test(`others may reach ${JSON.stringify(host)}`, () => {
    assert.equal(isLoopback(host), false);
  });
