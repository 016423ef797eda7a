/** A connection of HTTP/2 in bytes: a call in its frames, among others that are odd or wrong. */
import fc, { type Arbitrary } from "fast-check";
import { damage, damaged } from "../../test/support/mutations.ts";
import type { Headers } from "./world.ts";

interface FramedCall {
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const [DATA, HEADERS, SETTINGS] = [0, 1, 4];
const END_STREAM = 1;
const END_HEADERS = 4;

/** Frames of every type with any flags, of streams that are there and that are not, and header blocks that are none. */
const oddFrame = fc.oneof(
  fc
    .record({
      type: fc.integer({ min: 0, max: 12 }),
      flags: fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d, 0xff),
      id: fc.constantFrom(0, 1, 2, 3, 99, 0x7fffffff, 0xffffffff),
      payload: fc.uint8Array({ maxLength: 40 }),
    })
    .map(({ type, flags, id, payload }) => frame(type, flags, id, Buffer.from(payload))),
  fc.uint8Array({ maxLength: 30 }).map((block) => frame(HEADERS, 5, 1, Buffer.from(block))),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    // Lengths that lie, and settings that nobody may make.
    Buffer.from("ffffff00000000000100", "hex"),
    Buffer.from("000001040000000000ff", "hex"),
    frame(SETTINGS, 0, 0, Buffer.from("000400000000", "hex")),
    frame(SETTINGS, 0, 0, Buffer.from("0004ffffffff", "hex")),
    frame(SETTINGS, 0, 0, Buffer.from("000500000001", "hex")),
    frame(SETTINGS, 0, 0, Buffer.from("000100000000", "hex")),
    frame(8, 0, 0, Buffer.from("7fffffff", "hex")),
    frame(8, 0, 1, Buffer.from("00000000", "hex")),
    frame(3, 0, 1, Buffer.from("00000008", "hex")),
    frame(6, 0, 0, Buffer.alloc(8)),
    // A table size update and an index that there is not.
    frame(HEADERS, 5, 1, Buffer.from("3fffffff7f", "hex")),
    frame(HEADERS, 5, 1, Buffer.from("ffff7f", "hex")),
    frame(HEADERS, 0, 1, Buffer.from("83", "hex")),
  ),
);

export function http2Frames(call: FramedCall): Arbitrary<Buffer> {
  const own = [
    frame(HEADERS, END_HEADERS, 1, blockOf(call)),
    frame(DATA, END_STREAM, 1, call.bytes.subarray(0, 16_384)),
  ];
  const sequence = fc.oneof(
    fc.constant(own),
    fc.constant([...own, ...own]),
    fc.constant(own.toReversed()),
    fc.constant(own.slice(0, 1)),
    fc.constant([]),
  );
  return fc
    .tuple(
      sequence,
      fc.array(fc.tuple(fc.nat(), oddFrame), { minLength: 1, maxLength: 4 }),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(damage, { maxLength: 3 }) },
      ),
    )
    .map(([frames, odd, damages]) => {
      const all = odd.reduce<readonly Buffer[]>(
        (list, [place, one]) => list.toSpliced(place % (list.length + 1), 0, one),
        frames,
      );
      const settings = frame(SETTINGS, 0, 0, Buffer.alloc(0));
      return Buffer.concat([PREFACE, damaged(Buffer.concat([settings, ...all]), damages)]);
    });
}

function frame(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields without compression (RFC 7541, 6.2.2). */
function blockOf({ path, headers }: FramedCall): Buffer {
  const fields = {
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "x",
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  };
  const texts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0]),
    text(name),
    text(value),
  ]);
  return Buffer.concat(texts);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest = bytes.length - 127;
  const length = rest < 128 ? [rest] : [(rest & 127) | 128, rest >>> 7];
  return Buffer.concat([Buffer.from([127, ...length]), bytes]);
}
