/** A remote agent over gRPC that answers as a script says, down to the frames of HTTP/2. */
import { once } from "node:events";
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Identity } from "../fake-agent.ts";

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Buffer;
}

export type GrpcScript = (stream: ServerHttp2Stream, received: ReceivedCall) => void;

export interface FakeGrpcAgent {
  /** `host:port`. */
  readonly address: string;
  readonly received: readonly ReceivedCall[];
  connections(): number;
  /** Resolves when no call is open. */
  deserted(): Promise<void>;
}

export interface GrpcAgentOptions {
  /** With one, it is called over TLS. */
  readonly identity?: Identity;
  /** Default: any. */
  readonly port?: number;
}

/** It ends with the test. */
export async function fakeGrpcAgent(
  context: TestContext,
  script: GrpcScript,
  { identity, port = 0 }: GrpcAgentOptions = {},
): Promise<FakeGrpcAgent> {
  const received: ReceivedCall[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const options = { settings: { maxConcurrentStreams: 100 } };
  const server = identity ? createSecureServer({ ...options, ...identity }) : createServer(options);
  let connections = 0;
  let calls = 0;
  server.on("session", (session) => {
    connections++;
    sessions.add(session);
    session.on("error", () => undefined);
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    calls++;
    const chunks: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("close", () => {
      calls--;
      server.emit("left");
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const call = { path: headers[":path"] ?? "", headers, message: messageIn(chunks) };
      received.push(call);
      script(stream, call);
    });
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  context.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    async deserted() {
      while (calls > 0) await once(server, "left");
    },
  };
}

/** Messages, and what becomes of the call. */
export function messages(
  contents: readonly Buffer[],
  trailers: Readonly<Record<string, string>> | "silence" | "reset" | "none" = {
    "grpc-status": "0",
  },
): GrpcScript {
  return (stream) => {
    const head = { ":status": 200, "content-type": "application/grpc" };
    stream.respond(head, { waitForTrailers: typeof trailers !== "string" });
    if (trailers === "reset") {
      const cut = () => void stream.destroy(new Error("reset"));
      return void stream.write(Buffer.concat(contents.map(framed)), cut);
    }
    for (const content of contents) stream.write(framed(content));
    if (trailers === "silence") return;
    stream.on("wantTrailers", () => {
      if (typeof trailers !== "string") stream.sendTrailers(trailers);
    });
    stream.end();
  };
}

export function framed(content: Buffer): Buffer {
  const frame = Buffer.alloc(5 + content.length);
  frame.writeUInt32BE(content.length, 1);
  content.copy(frame, 5);
  return frame;
}

function messageIn(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat(chunks).subarray(5);
}
