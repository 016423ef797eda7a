/** The last of what a program wrote to stderr. */
import type { Readable } from "node:stream";
import { printable } from "../printable.ts";

const MAX_BYTES = 2048;

export class Tail {
  #bytes: Buffer = Buffer.alloc(0);
  #cut = false;

  constructor(stream: Readable) {
    stream.on("data", (chunk: Buffer) => this.#add(chunk));
    stream.on("error", () => {});
  }

  text(): string {
    const text = this.#bytes.toString("utf8");
    // The first character may have been cut in two.
    return this.#cut ? `…${printable(text.replace(/^\ufffd+/, ""))}` : printable(text);
  }

  #add(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk]);
    this.#cut ||= all.length > MAX_BYTES;
    this.#bytes = all.subarray(-MAX_BYTES);
  }
}
