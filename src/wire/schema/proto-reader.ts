import { isUtf8 } from "node:buffer";

/** Thrown for bytes that are not protobuf. */
export class MalformedProto extends Error {}

const DEEPEST_GROUP = 100;

/**
 * Reads protobuf's wire format. Strict where readers often are not: a string that is cut off or not UTF-8 is malformed.
 */
export class ProtoReader {
  readonly #bytes: Buffer;
  #position = 0;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  /** Whether the message that was entered last is read to its end. */
  get done(): boolean {
    return this.#position >= this.#end;
  }

  /** Narrows the reader to the message that begins here; whoever enters leaves with the value this returned. */
  enter(): number {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#position + length;
    return outer;
  }

  leave(outer: number): void {
    this.#position = this.#end;
    this.#end = outer;
  }

  /** Passes over what is left of the message that was entered last. */
  skipRest(): void {
    this.#position = this.#end;
  }

  /** The low 32 bits of a varint, unsigned. */
  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new MalformedProto("varint too long");
  }

  int32(): number {
    return this.uint32() | 0;
  }

  /** As a number, exact up to 2^53. */
  int64(): number {
    let bits = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      bits |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, bits));
    }
    throw new MalformedProto("varint too long");
  }

  bool(): boolean {
    return this.int64() !== 0;
  }

  double(): number {
    this.#need(8);
    const value = this.#bytes.readDoubleLE(this.#position);
    this.#position += 8;
    return value;
  }

  string(): string {
    const length = this.#length();
    const start = this.#position;
    this.#position += length;
    const text = this.#bytes.toString("utf8", start, this.#position);
    if (text.includes("\ufffd") && !isUtf8(this.#bytes.subarray(start, this.#position)))
      throw new MalformedProto("a string is not UTF-8");
    return text;
  }

  /** A bytes field as standard base64 with padding. */
  base64(): string {
    const length = this.#length();
    const start = this.#position;
    this.#position += length;
    return this.#bytes.toString("base64", start, this.#position);
  }

  /** Passes over the value of a field. Groups are gone from the language, but old peers may send them. */
  skip(wireType: number, depth = 0): void {
    const skip = ProtoReader.#SKIPS.get(wireType);
    if (skip === undefined) throw new MalformedProto(`wire type ${wireType}`);
    skip(this, depth);
  }

  static readonly #SKIPS: ReadonlyMap<number, (reader: ProtoReader, depth: number) => void> =
    new Map<number, (reader: ProtoReader, depth: number) => void>([
      [0, (reader) => void reader.uint32()],
      [1, (reader) => reader.#pass(8)],
      [2, (reader) => reader.#pass(reader.#length())],
      [3, (reader, depth) => reader.#skipGroup(depth)],
      [5, (reader) => reader.#pass(4)],
    ]);

  #skipGroup(depth: number): void {
    if (depth > DEEPEST_GROUP) throw new MalformedProto("groups nested too deep");
    for (let tag = this.uint32(); (tag & 7) !== 4; tag = this.uint32())
      this.skip(tag & 7, depth + 1);
  }

  #pass(length: number): void {
    this.#need(length);
    this.#position += length;
  }

  #byte(): number {
    const byte = this.#position < this.#end ? this.#bytes[this.#position] : undefined;
    if (byte === undefined) throw new MalformedProto("cut off");
    this.#position++;
    return byte;
  }

  #length(): number {
    const length = this.uint32();
    this.#need(length);
    return length;
  }

  #need(length: number): void {
    if (this.#position + length > this.#end) throw new MalformedProto("cut off");
  }
}
