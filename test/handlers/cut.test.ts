/** What ends a call from outside. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cut } from "../../src/handlers/cut.ts";

test("a cut tells its listeners once, with the first reason", () => {
  const cut = new Cut();
  const told: unknown[] = [];
  const gone = () => told.push("gone");
  cut.addEventListener("abort", () => told.push(cut.reason));
  cut.addEventListener("abort", gone);
  cut.addEventListener("abort", () => told.push("second"));
  cut.removeEventListener("abort", gone);
  cut.throwIfAborted();
  cut.abort("why");
  cut.abort("why else");
  assert.deepEqual(told, ["why", "second"]);
  assert.equal(cut.aborted, true);
  assert.equal(cut.reason, "why");
  assert.throws(
    () => cut.throwIfAborted(),
    (thrown) => thrown === "why",
  );
});
