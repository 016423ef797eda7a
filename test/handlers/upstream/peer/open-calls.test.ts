import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenCalls } from "../../../../src/handlers/upstream/peer/open-calls.ts";
import { LIMITS } from "./peers.ts";

test("streams leave room for calls that are none", async () => {
  const calls = new OpenCalls(8, LIMITS);
  const leaving = new AbortController();
  let begun = 0;
  const stream = () =>
    calls.stream({ caller: leaving.signal, waits: true }, async function* () {
      begun += 1;
      yield begun;
    });
  const streams = Array.from({ length: 8 }, stream);
  const first = streams.map((each) => each.next().catch(() => undefined));
  await Promise.all(first.slice(0, 7));
  assert.equal(begun, 7);
  assert.equal(await calls.run(leaving.signal, async () => "canceled"), "canceled");
  await streams[0]?.return?.();
  await first[7];
  assert.equal(begun, 8);
  leaving.abort();
});
