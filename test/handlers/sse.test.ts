/** Events of a text/event-stream, however its bytes are cut. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { openSseReader } from "../../src/handlers/sse.ts";

/** The data of the events; `name: data` where they have a name. */
function dataIn(chunks: readonly Uint8Array[], maxEvent = 0): string[] {
  const reader = openSseReader(maxEvent);
  const events = chunks.flatMap((chunk) => {
    const came = reader.feed(chunk);
    reader.check();
    return came;
  });
  return [...events, ...reader.end()].map(({ name, data }) =>
    name === undefined ? data : `${name}: ${data}`,
  );
}

const bytes = (text: string) => Buffer.from(text);

describe("an event stream", () => {
  const STREAM =
    "data: one\n\ndata: zwei ä\n\n: a comment\n\ndata:three\r\n\r\nevent: ping\rdata: x\r\rid: 4\ndata: f\ndata: our\n\ndata: €\n\ndata\n\n";

  it("says the same in however many pieces it comes", () => {
    const whole = dataIn([bytes(STREAM)]);
    assert.deepEqual(whole, ["one", "zwei ä", "three", "ping: x", "f\nour", "€", ""]);
    const places = fc.uniqueArray(fc.nat(bytes(STREAM).length), { maxLength: 12 });
    fc.assert(
      fc.property(places, (cuts) => {
        const sorted = [0, ...cuts.toSorted((a, b) => a - b), Infinity];
        const pieces = sorted.map((start, index) =>
          bytes(STREAM).subarray(start, sorted[index + 1]),
        );
        assert.deepEqual(dataIn(pieces), whole);
      }),
    );
  });

  it("may begin with a mark of its byte order, and has none in its middle", () => {
    assert.deepEqual(dataIn([bytes("\ufeffdata: a\n\n")]), ["a"]);
    assert.deepEqual(dataIn([bytes("data: a\n\n"), bytes("\ufeffdata: b\n\n")]), ["a"]);
    const [first, second] = [bytes("data: ä\n\n").subarray(0, 7), bytes("data: ä\n\n").subarray(7)];
    assert.deepEqual(dataIn([first, second, bytes("data: \ufeffb\n\n")]), ["ä", "\ufeffb"]);
  });

  it("is refused where it is no UTF-8, after the events before", () => {
    const reader = openSseReader(0);
    assert.equal(reader.feed(bytes("data: a\n\n")).length, 1);
    assert.throws(() => reader.feed(Buffer.from([0x64, 0xff])), /not UTF-8/);
    const cut = openSseReader(0);
    cut.feed(bytes("data: ä\n\n").subarray(0, 7));
    assert.throws(() => cut.end(), /not UTF-8/);
  });

  it("tells what comes before an event that is too long", () => {
    for (const long of ["data: 123456\n\n", "data: 123456", "data: 1234\ndata: 5\n\n"]) {
      const reader = openSseReader(5);
      assert.equal(reader.feed(bytes(`data: 12345\n\n${long}`)).length, 1);
      assert.throws(() => reader.check(), /longer than 5 characters/);
    }
  });
});
