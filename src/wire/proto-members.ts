/** Protobuf that is put together from messages which are bytes already. */
import { varintSize } from "./schema/proto-writer.ts";

/** The chunks as one member of a message: a tag and a length before them. */
export function asMember(tag: number, chunks: readonly Uint8Array[]): readonly Uint8Array[] {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return [tagAndLength(tag, length), ...chunks];
}

function tagAndLength(tag: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + varintSize(length));
  writeTagAndLength(bytes, 0, tag, length);
  return bytes;
}

/** The position after what was written. */
export function writeTagAndLength(
  bytes: Uint8Array,
  at: number,
  tag: number,
  length: number,
): number {
  let position = at;
  bytes[position++] = tag;
  let rest = length;
  for (; rest > 127; rest >>>= 7) bytes[position++] = (rest & 127) | 128;
  bytes[position++] = rest;
  return position;
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}
