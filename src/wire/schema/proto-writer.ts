/** Larger buffers are given back after the message that needed them. */
const KEEP = 1 << 20;

/**
 * Writes protobuf's wire format. One writer serves all encodings of the process, one after the other: encoding never
 * waits for anything, so two never overlap.
 */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #position = 0;

  /** What `write` wrote, as bytes of its own. */
  encode(write: (writer: ProtoWriter) => void): Uint8Array {
    this.#position = 0;
    write(this);
    const message = Buffer.from(this.#bytes.subarray(0, this.#position));
    if (this.#bytes.length > KEEP) this.#bytes = Buffer.allocUnsafeSlow(1 << 16);
    return message;
  }

  /** Starts something whose length goes before it; `end` takes what this returns. */
  begin(): number {
    this.#reserve(1);
    return this.#position++;
  }

  end(start: number): void {
    const length = this.#position - start - 1;
    if (length < 128) {
      this.#bytes[start] = length;
      return;
    }
    // The length needs more than the one byte kept for it: the content moves up.
    const more = varintSize(length) - 1;
    this.#reserve(more);
    this.#bytes.copyWithin(start + 1 + more, start + 1, this.#position);
    this.#position = start;
    this.uint32(length);
    this.#position += length;
  }

  uint32(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest > 127) {
      this.#bytes[this.#position++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#position++] = rest;
  }

  /** A varint of a whole number between -2^53 and 2^53; negative ones take ten bytes. */
  int64(value: number): void {
    if (value >= 0 && value <= 0xffffffff) {
      this.uint32(value);
      return;
    }
    this.#reserve(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      this.#bytes[this.#position++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#position++] = Number(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#position = this.#bytes.writeDoubleLE(value, this.#position);
  }

  /** Lone surrogates become U+FFFD, so that what goes out is always UTF-8. */
  string(text: string): void {
    if (text.length <= 42) {
      // At most 126 bytes: one byte holds the length.
      this.#reserve(1 + text.length * 3);
      const start = this.#position++;
      this.#position += this.#bytes.write(text, this.#position, "utf8");
      this.#bytes[start] = this.#position - start - 1;
      return;
    }
    const length = Buffer.byteLength(text, "utf8");
    this.uint32(length);
    this.#reserve(length);
    this.#position += this.#bytes.write(text, this.#position, length, "utf8");
  }

  /** A bytes field from its base64 text. */
  base64(text: string): void {
    this.bytes(Buffer.from(text, "base64"));
  }

  bytes(bytes: Uint8Array): void {
    this.uint32(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#position);
    this.#position += bytes.length;
  }

  #reserve(length: number): void {
    const needed = this.#position + length;
    if (needed <= this.#bytes.length) return;
    const greater = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(greater, 0, 0, this.#position);
    this.#bytes = greater;
  }
}

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}
