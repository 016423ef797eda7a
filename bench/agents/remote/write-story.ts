import type { Writable } from "node:stream";
import type { Story } from "./story.ts";

/** So many chunks leave in one write: the reader is to be what is slow. */
const CHUNKS_PER_WRITE = 64;

/** Writes a story as fast as its reader takes it, but for the tail, which is returned; undefined when the reader left. */
export async function writeStory(
  out: Writable,
  { head, chunk, count, tail }: Story,
  encode: (event: object) => Buffer,
): Promise<Buffer | undefined> {
  const start = Buffer.concat(head.map(encode));
  const end = Buffer.concat(tail.map(encode));
  // An echo leaves in one piece with its end.
  if (count === 0) return Buffer.concat([start, end]);
  out.write(start);
  const each = encode(chunk);
  const many = Buffer.concat(Array<Buffer>(CHUNKS_PER_WRITE).fill(each));
  for (let left = count; left > 0; left -= CHUNKS_PER_WRITE) {
    if (out.destroyed) return undefined;
    const bytes = left < CHUNKS_PER_WRITE ? many.subarray(0, left * each.length) : many;
    if (!out.write(bytes)) await room(out);
  }
  return end;
}

/** Resolves when the reader takes more, and when it has left. */
function room(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      out.off("drain", settle).off("close", settle);
      resolve();
    };
    out.on("drain", settle).on("close", settle);
  });
}
