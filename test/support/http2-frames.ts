/** HTTP/2 by hand (RFC 9113): what no client of the usual kind would send. */
import { connect, type Socket } from "node:net";

export const TYPE = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
} as const;

const END_STREAM = 1;
const END_HEADERS = 4;

export interface FrameParts {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Buffer;
}

export function frame({ type, flags = 0, stream = 0, payload = Buffer.alloc(0) }: FrameParts) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The head of a gRPC call whose message is still to come. */
export function callHead(stream: number, path: string): Buffer {
  const payload = Buffer.concat([
    field(":method", "POST"),
    field(":scheme", "http"),
    field(":path", path),
    field(":authority", "test"),
    field("content-type", "application/grpc"),
    field("te", "trailers"),
  ]);
  return frame({ type: TYPE.headers, flags: END_HEADERS, stream, payload });
}

/** The message of a gRPC call, and its end. */
export function callMessage(stream: number, message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const payload = Buffer.concat([head, message]);
  return frame({ type: TYPE.data, flags: END_STREAM, stream, payload });
}

export function reset(stream: number): Buffer {
  return frame({ type: TYPE.reset, stream, payload: Buffer.from([0, 0, 0, 8]) });
}

export const PING = frame({ type: TYPE.ping, payload: Buffer.alloc(8) });
export const SETTINGS = frame({ type: TYPE.settings });

/** A connection that has opened as HTTP/2. */
export async function openHttp2(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
  socket.write(SETTINGS);
  return socket;
}

/** The frames that bytes are, the last of them whole. */
export function framesIn(bytes: Buffer): FrameParts[] {
  const frames: FrameParts[] = [];
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

/** Writes what `make` answers, one after the other, until the connection is closed; false when it never is. */
export async function flood(
  socket: Socket,
  most: number,
  make: (index: number) => Buffer,
): Promise<boolean> {
  const closed = new Promise<true>((resolve) => socket.on("close", () => resolve(true)));
  socket.resume();
  for (let index = 0; index < most && !socket.destroyed; index++) {
    if (!socket.write(make(index)))
      await Promise.race([closed, new Promise((resolve) => socket.once("drain", resolve))]);
    if (index % 50 === 0) await new Promise(setImmediate);
  }
  return socket.destroyed || closed;
}

/** Never indexed, and not Huffman coded (RFC 7541, 6.2.2). */
function field(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}
