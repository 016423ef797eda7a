/**
 * gRPC over a bare socket: HTTP/2 without what a load client never needs. Every connection calls one method, so that a
 * request's headers are a few bytes. Plain text, prior knowledge, small requests.
 */
import type { Socket } from "node:net";
import { pendingCall, type Answer, type Connection, type Pending } from "./client.ts";
import { grpcStatusIn, requestBlocks } from "./hpack.ts";
import { connected } from "./http.ts";

const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  window: 8,
} as const;
const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const HEADER_BYTES = 9;
/** No dynamic table towards us, no push, and windows that never close: table size, push, streams' window, frame size. */
const SETTINGS = settingsOf([
  [1, 0],
  [2, 0],
  [4, 2 ** 24],
  [5, 2 ** 20],
]);
const CONNECTION_WINDOW = 2 ** 30;
const WINDOW_REFRESH = 2 ** 26;

interface Stream {
  readonly pending: Pending;
  readonly messages: Buffer[];
  rest: Buffer | undefined;
  status: number | undefined;
}

/** A connection on which every call is of one method, given by its path such as `/package.Service/Method`. */
export async function openGrpc(
  address: string,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
): Promise<Connection> {
  const { hostname, port } = new URL(`http://${address}`);
  const socket = await connected(hostname, Number(port));
  const connection = new GrpcConnection(socket, [
    [":path", path],
    [":authority", address],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ...Object.entries(metadata),
  ]);
  await connection.ready;
  return connection;
}

class GrpcConnection implements Connection {
  readonly ready: Promise<void>;
  readonly #socket: Socket;
  readonly #blocks: ReturnType<typeof requestBlocks>;
  readonly #streams = new Map<number, Stream>();
  #onReady = () => {};
  #nextId = 1;
  #out: Buffer[] = [];
  #rest: Buffer | undefined;
  #received = 0;
  #window = 65_535;
  #gone: Error | undefined;

  constructor(socket: Socket, fields: readonly (readonly [string, string])[]) {
    this.#socket = socket;
    this.#blocks = requestBlocks(fields);
    this.ready = new Promise((resolve) => {
      this.#onReady = resolve;
    });
    socket.on("data", (data) => this.#onData(data));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
    const wide = frame(FRAME.window, 0, 0, uint32(CONNECTION_WINDOW));
    socket.write(Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, SETTINGS), wide]));
  }

  call(request: Buffer, onData?: (data: Buffer) => void): Promise<Answer> {
    if (this.#gone) return Promise.reject(this.#gone);
    const { promise, pending } = pendingCall(onData);
    const id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(id, { pending, messages: [], rest: undefined, status: undefined });
    this.#window -= request.length + 5;
    if (this.#window < 0) throw new Error("the requests are too large for the load client");
    const block = id === 1 ? this.#blocks.first : this.#blocks.later;
    this.#write(
      Buffer.concat([
        frame(FRAME.headers, FLAG.endHeaders, id, block),
        frame(FRAME.data, FLAG.endStream, id, Buffer.concat([prefix(request.length), request])),
      ]),
    );
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Everything that comes up in a tick leaves in one write. */
  #write(bytes: Buffer): void {
    if (this.#out.push(bytes) > 1) return;
    queueMicrotask(() => {
      this.#socket.write(Buffer.concat(this.#out));
      this.#out = [];
    });
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const { pending } of this.#streams.values()) pending.reject(error);
    this.#streams.clear();
  }

  #onData(data: Buffer): void {
    const buffer = this.#rest ? Buffer.concat([this.#rest, data]) : data;
    let at = 0;
    while (buffer.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + buffer.readUIntBE(at, 3);
      if (buffer.length < end) break;
      const id = buffer.readUInt32BE(at + 5) & 0x7fffffff;
      const payload = buffer.subarray(at + HEADER_BYTES, end);
      this.#onFrame(buffer.readUInt8(at + 3), buffer.readUInt8(at + 4), id, payload);
      at = end;
    }
    this.#rest = at < buffer.length ? buffer.subarray(at) : undefined;
  }

  #onFrame(type: number, flags: number, id: number, payload: Buffer): void {
    switch (type) {
      case FRAME.data:
        return this.#onMessageBytes(flags, id, unpadded(flags, payload), payload.length);
      case FRAME.headers:
        return this.#onHeaders(flags, id, unpadded(flags, payload));
      case FRAME.reset:
        return this.#end(id, new Error(`stream reset: ${payload.readUInt32BE(0)}`));
      case FRAME.settings:
        if (flags & FLAG.ack) return;
        this.#write(frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0)));
        return this.#onReady();
      case FRAME.ping:
        if (!(flags & FLAG.ack)) this.#write(frame(FRAME.ping, FLAG.ack, 0, Buffer.from(payload)));
        return;
      case FRAME.goAway:
        return this.#fail(new Error(`go away: ${payload.readUInt32BE(4)}`));
      case FRAME.window:
        if (id === 0) this.#window += payload.readUInt32BE(0);
    }
  }

  #onHeaders(flags: number, id: number, block: Buffer): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    if (!(flags & FLAG.endHeaders)) throw new Error("headers too long for the load client");
    stream.status =
      grpcStatusIn(flags & FLAG.priority ? block.subarray(5) : block) ?? stream.status;
    if (flags & FLAG.endStream) this.#end(id);
  }

  #onMessageBytes(flags: number, id: number, bytes: Buffer, size: number): void {
    this.#received += size;
    if (this.#received > WINDOW_REFRESH) {
      this.#write(frame(FRAME.window, 0, 0, uint32(this.#received)));
      this.#received = 0;
    }
    const stream = this.#streams.get(id);
    if (!stream) return;
    takeMessages(stream, bytes);
    if (flags & FLAG.endStream) this.#end(id);
  }

  #end(id: number, error?: Error): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    if (error) stream?.pending.reject(error);
    else stream?.pending.resolve({ status: stream.status ?? -1, messages: stream.messages });
  }
}

function takeMessages(stream: Stream, bytes: Buffer): void {
  const buffer = stream.rest ? Buffer.concat([stream.rest, bytes]) : bytes;
  let at = 0;
  while (buffer.length - at >= 5) {
    const end = at + 5 + buffer.readUInt32BE(at + 1);
    if (buffer.length < end) break;
    const message = buffer.subarray(at + 5, end);
    if (stream.pending.onData) stream.pending.onData(message);
    else stream.messages.push(message);
    at = end;
  }
  stream.rest = at < buffer.length ? buffer.subarray(at) : undefined;
}

function unpadded(flags: number, payload: Buffer): Buffer {
  return flags & FLAG.padded ? payload.subarray(1, payload.length - payload.readUInt8(0)) : payload;
}

function frame(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(id, 5);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

function prefix(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function settingsOf(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const bytes = Buffer.alloc(6 * settings.length);
  for (const [position, [id, value]] of settings.entries()) {
    bytes.writeUInt16BE(id, 6 * position);
    bytes.writeUInt32BE(value, 6 * position + 2);
  }
  return bytes;
}
