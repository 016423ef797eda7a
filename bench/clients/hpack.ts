/**
 * The header compression of HTTP/2 (RFC 7541), as far as a load client needs it: the same request headers again and
 * again, and one field of the trailers.
 */

const STATIC_INDEX: Readonly<Record<string, number>> = {
  ":authority": 1,
  ":path": 4,
  "content-type": 31,
};
const METHOD_POST = 0x83;
const SCHEME_HTTP = 0x86;
const STATIC_ENTRIES = 61;

/**
 * The block for the first request of a connection, which teaches the server the fields, and the block for all later
 * ones, which names them by number.
 */
export function requestBlocks(fields: readonly (readonly [name: string, value: string])[]): {
  readonly first: Buffer;
  readonly later: Buffer;
} {
  const literals = fields.flatMap(([name, value]) => {
    const index = STATIC_INDEX[name] ?? 0;
    const parts = index > 0 ? [Buffer.from([0x40 | index])] : [Buffer.from([0x40]), text(name)];
    return [...parts, text(value)];
  });
  const start = Buffer.from([METHOD_POST, SCHEME_HTTP]);
  // The newest entry of the table has the lowest number.
  const numbers = fields.map((_, position) => 0x80 | (STATIC_ENTRIES + fields.length - position));
  return { first: Buffer.concat([start, ...literals]), later: Buffer.from([...start, ...numbers]) };
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([lengthOf(bytes), bytes]);
}

/** An integer with a prefix of seven bits (RFC 7541, 5.1). */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 127) return Buffer.from([length]);
  const octets = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) octets.push((rest & 127) | 128);
  return Buffer.from([...octets, rest]);
}

const GRPC_STATUS = [Buffer.from("grpc-status"), Buffer.from("9acac8b21234da8f", "hex")] as const;

/** The gRPC status in a header block; undefined when it holds none. The server must not use a dynamic table. */
export function grpcStatusIn(block: Buffer): number | undefined {
  const reader = new BlockReader(block);
  while (!reader.atEnd) {
    const first = reader.peek();
    if (first & 0x80) reader.integer(7);
    else if ((first & 0xe0) === 0x20) reader.integer(5);
    else {
      const index = reader.integer((first & 0xc0) === 0x40 ? 6 : 4);
      const name = index === 0 ? reader.string() : undefined;
      const value = reader.string();
      if (name && GRPC_STATUS.some((known) => known.equals(name.bytes))) return numberOf(value);
    }
  }
  return undefined;
}

interface HeaderText {
  readonly huffman: boolean;
  readonly bytes: Buffer;
}

class BlockReader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get atEnd(): boolean {
    return this.#at >= this.#block.length;
  }

  peek(): number {
    return this.#block.readUInt8(this.#at);
  }

  integer(bits: number): number {
    const most = (1 << bits) - 1;
    let value = this.#next() & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#next();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  string(): HeaderText {
    const huffman = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return { huffman, bytes };
  }

  #next(): number {
    return this.#block.readUInt8(this.#at++);
  }
}

/** Digits in the Huffman code are 00000, 00001, 00010 for 0 to 2 and 011001 to 011111 for 3 to 9. */
function numberOf({ huffman, bytes }: HeaderText): number {
  if (!huffman) return Number(bytes.toString("latin1"));
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let digits = "";
  for (let at = 0; ;) {
    const short = Number.parseInt(bits.slice(at, at + 5).padEnd(5, "1"), 2);
    const long = Number.parseInt(bits.slice(at, at + 6).padEnd(6, "1"), 2);
    if (short <= 2) {
      digits += short;
      at += 5;
    } else if (long >= 0b011001 && long <= 0b011111) {
      digits += long - 0b011001 + 3;
      at += 6;
    } else return Number(digits);
  }
}
