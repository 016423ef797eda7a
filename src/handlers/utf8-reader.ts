/** Text that comes in pieces of bytes. */
import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { wrong } from "./fields.ts";

/** A piece that is whole in itself, as most are, needs no decoder: to open one costs more than to read an event. */
export class Utf8Reader {
  #decoder: TextDecoder | undefined;
  #isFirst = true;

  /** The text of the next bytes, but for a character that they do not end. Throws INVALID_AGENT_RESPONSE for what is none. */
  read(bytes: Uint8Array): string {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#decoder === undefined) {
      const isMarked = isFirst && bytes[0] === BYTE_ORDER_MARK;
      if (!isMarked && isUtf8(bytes)) return textOf(bytes);
      // Only at the beginning of the stream is the mark none of its text.
      this.#decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: !isFirst });
    }
    return this.#decode(this.#decoder, bytes);
  }

  /** The bytes have ended; throws as `read` does for a character that was cut. */
  end(): void {
    if (this.#decoder !== undefined) this.#decode(this.#decoder, undefined);
  }

  #decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw wrong("", "not UTF-8");
    }
  }
}

/** Its first byte. */
const BYTE_ORDER_MARK = 0xef;

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
