import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents } from "../../src/cli/client/sse.ts";

async function eventsIn(chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  async function* bytes(): AsyncIterable<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }
  const events: string[] = [];
  for await (const event of readEvents(bytes())) events.push(event);
  return events;
}

test("an event is its data, whatever else is in it", async () => {
  const text =
    ": comment\nid: 3\nevent: x\ndata: one\nretry: 5\n\ndata:two\n\n: only a comment\n\n";
  assert.deepEqual(await eventsIn([text]), ["one", "two"]);
});

test("several data lines are one event", async () => {
  assert.deepEqual(await eventsIn(["data: a\ndata\ndata:  b\n\n"]), ["a\n\n b"]);
});

test("lines end in LF, CR LF or CR", async () => {
  assert.deepEqual(await eventsIn(["data: a\r\n\r\ndata: b\r\rdata: c\n\n"]), ["a", "b", "c"]);
});

test("events are the same however the bytes are cut", async () => {
  const bytes = Buffer.from("data: grüße\r\n\r\ndata: 漢字\n\n");
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    assert.deepEqual(await eventsIn(chunks), ["grüße", "漢字"], `chunks of ${size}`);
  }
});

test("an event that was cut off is dropped", async () => {
  assert.deepEqual(await eventsIn(["data: whole\n\ndata: half\n"]), ["whole"]);
});

test("a line without end is refused", async () => {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  await assert.rejects(eventsIn(Array(17).fill(chunk)), /line of the stream is too long/);
});

test("an event without end is refused", async () => {
  const line = Buffer.from(`data: ${"x".repeat(1024 * 1024)}\n`);
  await assert.rejects(eventsIn(Array(17).fill(line)), /event of the stream is too long/);
});
