/**
 * HTTP/1.1 over a bare socket, one request at a time: an ordinary client costs more CPU per call than the servers that
 * it should keep busy.
 */
import { connect, type Socket } from "node:net";
import { pendingCall, type Answer, type Connection, type Pending } from "./client.ts";

interface Head {
  readonly status: number;
  /** Undefined: chunked. */
  readonly length: number | undefined;
  readonly closes: boolean;
}

export async function openHttp(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  return new HttpConnection(await connected(hostname, Number(port)));
}

/** The bytes of a request. */
export function httpRequest(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): Buffer {
  const { pathname, search, host } = new URL(url);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

export function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

class HttpConnection implements Connection {
  readonly #socket: Socket;
  #pending: Pending | undefined;
  #head: Head | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #body: Buffer[] = [];
  #gone: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#onData(data));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  call(request: Buffer, onData?: (data: Buffer) => void): Promise<Answer> {
    if (this.#gone) return Promise.reject(this.#gone);
    const { promise, pending } = pendingCall(onData);
    this.#pending = pending;
    this.#socket.write(request);
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
  }

  #onData(data: Buffer): void {
    let buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : data;
    if (this.#head === undefined) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) {
        this.#rest = buffer;
        return;
      }
      this.#head = headOf(buffer.toString("latin1", 0, end));
      buffer = buffer.subarray(end + 4);
    }
    this.#rest = buffer;
    if (this.#head.length === undefined) this.#takeChunks();
    else this.#takeWhole(this.#head.length);
  }

  #takeWhole(length: number): void {
    if (this.#rest.length < length) return;
    this.#body.push(this.#rest.subarray(0, length));
    this.#done(this.#rest.subarray(length));
  }

  #takeChunks(): void {
    for (;;) {
      const line = this.#rest.indexOf("\r\n");
      if (line < 0) return;
      const size = Number.parseInt(this.#rest.toString("latin1", 0, line), 16);
      const end = line + 2 + size;
      if (this.#rest.length < end + 2) return;
      const chunk = this.#rest.subarray(line + 2, end);
      const rest = this.#rest.subarray(end + 2);
      if (size === 0) return this.#done(rest);
      if (this.#pending?.onData) this.#pending.onData(chunk);
      else this.#body.push(chunk);
      this.#rest = rest;
    }
  }

  #done(rest: Buffer): void {
    const head = this.#head;
    const pending = this.#pending;
    const [only = Buffer.alloc(0), ...more] = this.#body;
    this.#head = this.#pending = undefined;
    this.#rest = rest;
    this.#body = [];
    if (head?.closes) this.#gone = new Error("the server closed the connection");
    const body = more.length > 0 ? Buffer.concat([only, ...more]) : only;
    pending?.resolve({ status: head?.status ?? 0, messages: [body] });
  }
}

function headOf(text: string): Head {
  const lower = text.toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(lower)?.[1];
  const chunked = lower.includes("\r\ntransfer-encoding: chunked");
  return {
    status: Number(text.slice(9, 12)),
    length: chunked ? undefined : Number(length ?? 0),
    closes: lower.includes("\r\nconnection: close"),
  };
}
