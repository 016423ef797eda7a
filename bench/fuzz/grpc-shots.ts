/** gRPC calls: valid ones, to whose message, frame or metadata something has happened. */
import fc, { type Arbitrary } from "fast-check";
import { damage, damaged } from "../../test/support/mutations.ts";
import { http2Frames } from "./http2-frames.ts";
import type { Intent } from "./intents.ts";
import { grpcCallOf } from "./spelling.ts";
import type { Headers, Version, World } from "./world.ts";

/** A call by an HTTP/2 client, or bytes that take its place. */
export type GrpcShot =
  | {
      readonly kind: "call";
      readonly path: string;
      readonly headers: Headers;
      readonly bytes: Buffer;
    }
  | { readonly kind: "frames"; readonly bytes: Buffer };

/** A message in its frame: not compressed, with its length. */
export function framed(message: Uint8Array, flag = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

const FRAMINGS: readonly ((message: Uint8Array) => Buffer)[] = [
  (message) => framed(message, 1),
  (message) => framed(message, 255),
  (message) => framed(message, 0, 0xffffffff),
  (message) => framed(message, 0, message.length + 1),
  (message) => framed(message, 0, Math.max(0, message.length - 1)),
  (message) => Buffer.concat([framed(message), framed(message)]),
  (message) => Buffer.concat([framed(message), Buffer.from([0])]),
  (message) => framed(message).subarray(0, 3),
  (message) => framed(message).subarray(0, -1),
  () => Buffer.alloc(0),
  () => framed(new Uint8Array()),
];

/** Protobuf that no encoder of ours writes, put in front of, behind, or in place of a message. */
const FIELDS = [
  "ffffffffffffffffff01", // a tag too large
  "0a8080808080808080808001", // a length of eleven bytes
  "08ffffffffffffffffff01", // a varint where a text belongs
  "0affffffff0f", // a length past the end
  "0aff", // a varint that ends early
  "f8ffffff0f01", // the highest field number
  "0001", // field 0
  "0b0c", // a group
  "0b0b0b", // groups that do not end
  "0c", // the end of no group
  "0e", // a wire type that there is not
  "0d01020304", // 32 bits where a text belongs
  "090102030405060708",
  "1202c328", // a text or message that is no UTF-8
  "12001200", // a message twice
  "9a05026869", // an unknown field
].map((hex) => Buffer.from(hex, "hex"));

/** Texts within messages within messages, deeper than anything is read. */
const DEEP = [100, 3_000].map(deepValue);

const HEADERS: readonly Headers[] = [
  { "a2a-version": "0.3" },
  { "a2a-version": "1.0" },
  { "a2a-version": "one" },
  { "a2a-agent": "other" },
  { "a2a-agent": "nobody" },
  { "a2a-extensions": "https://x, ,," },
  { "a2a-last-event-id": "1" },
  { "a2a-last-event-id": "-9" },
  { "grpc-timeout": "1m" },
  { "grpc-timeout": "0n" },
  { "grpc-timeout": "99999999H" },
  { "grpc-timeout": "soon" },
  { "grpc-encoding": "gzip" },
  { "grpc-encoding": "nothing" },
  { "grpc-accept-encoding": "gzip,,x" },
  { "x-bin": "%%%" },
  { "x-request-id": "a b" },
  { "content-type": "application/grpc+json" },
  { "content-type": "text/html" },
  { ":path": "/" },
  { ":path": "/lf.a2a.v1.A2AService/" },
  { ":path": "/lf.a2a.v1.A2AService/NoSuchMethod" },
  { ":path": "/grpc.health.v1.Health/Check" },
  { ":method": "GET" },
  { ":authority": "other.example:1" },
];

export function grpcShots(
  { credentials }: World,
  version: Version,
  intents: Arbitrary<Intent>,
): Arbitrary<GrpcShot> {
  const message = fc.oneof(
    { weight: 4, arbitrary: damages.map((all) => (sound: Uint8Array) => damaged(sound, all)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...FIELDS, ...DEEP), fc.nat(2)).map(spoiling),
    },
  );
  const header = fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom(...HEADERS) },
  );
  const framing = fc.oneof(
    { weight: 9, arbitrary: fc.constant((sound: Uint8Array) => framed(sound)) },
    { weight: 1, arbitrary: fc.constantFrom(...FRAMINGS) },
  );
  const call = fc
    .tuple(intents, message, framing, fc.tuple(header, fc.constantFrom(...credentials)))
    .map(([intent, spoilt, framing, [header, credential]]): GrpcShot => {
      const { path, message } = grpcCallOf(version, intent);
      return {
        kind: "call",
        path,
        headers: { ...lowerCase(credential), ...header },
        bytes: framing(spoilt(message)),
      };
    });
  const frames = fc
    .tuple(intents, fc.constantFrom(...credentials))
    .chain(([intent, credential]) => {
      const { path, message } = grpcCallOf(version, intent);
      return http2Frames({ path, headers: lowerCase(credential), bytes: framed(message) });
    })
    .map((bytes): GrpcShot => ({ kind: "frames", bytes }));
  return fc.oneof({ weight: 49, arbitrary: call }, { weight: 1, arbitrary: frames });
}

const damages = fc.array(damage, { maxLength: 3 });

function spoiling([field, place]: readonly [Buffer, number]): (sound: Uint8Array) => Buffer {
  return (sound) =>
    [Buffer.concat([field, sound]), Buffer.concat([sound, field]), field][place] ?? field;
}

function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** A message of a call whose part holds that many lists within lists: field 2, 5, 4, 1, then Values. */
function deepValue(levels: number): Buffer {
  let value: Buffer = Buffer.from([0x1a, 0]);
  for (let level = 0; level < levels; level++) value = tagged(0x32, tagged(0x0a, value));
  return tagged(0x12, tagged(0x2a, tagged(0x22, tagged(0x0a, value))));
}

function tagged(tag: number, body: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = body.length; ; rest >>>= 7) {
    if (rest < 128) return Buffer.concat([Buffer.from([tag, ...length, rest]), body]);
    length.push((rest & 127) | 128);
  }
}
