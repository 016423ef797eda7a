/** Connections that break the rules of HTTP/2 in ways after which Node neither reads nor says so. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect as connectTcp, type Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createTlsGate } from "../../../src/transports/tls-gate.ts";
import type { OpenGate } from "../../../src/transports/listener.ts";
import {
  createAuthority,
  NO_OPENSSL,
  textsOf,
  type Authority,
} from "../../support/certificates.ts";
import {
  callHead,
  callMessage,
  frame,
  framesIn,
  SETTINGS,
  TYPE,
} from "../../support/http2-frames.ts";
import { scriptedService, ScriptedStream } from "../../support/scripted-service.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_WORKING" } } as const;
const LARGE = "x".repeat(32 * 2 ** 20);
/** GetTaskRequest and SubscribeToTaskRequest { id: "t1" } */
const T1 = Buffer.from([0x12, 2, 0x74, 0x31]);
const CALL = Buffer.concat([
  callHead(1, "/lf.a2a.v1.A2AService/SubscribeToTask"),
  callMessage(1, T1),
]);
const BREACHES = [
  frame({ type: TYPE.ping, payload: Buffer.alloc(7) }),
  frame({ type: TYPE.headers, flags: 5, stream: 3, payload: Buffer.alloc(7, 0xff) }),
];

let transports: Transports;
let streams: ScriptedStream[];
let accepted: Socket[];
const accept = (message: unknown): void =>
  void accepted.push((message as { readonly socket: Socket }).socket);
before(() => subscribe("net.server.socket", accept));
after(() => unsubscribe("net.server.socket", accept));
afterEach(() => transports.stop());

async function start(gate?: OpenGate): Promise<number> {
  streams = [];
  accepted = [];
  const service = scriptedService({
    getTask: async () => ({ ...TASK, artifacts: [{ artifactId: "a", parts: [{ text: LARGE }] }] }),
    subscribeToTask: () => {
      const stream = new ScriptedStream().push({ response: { task: TASK } });
      streams.push(stream);
      return stream;
    },
  });
  transports = await startTransports(service, gate && { gate });
  return transports.port;
}

async function open(port: number, ca?: string): Promise<Socket> {
  // What the other side ends does not end this one.
  const options = { port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true };
  const socket = ca ? connectTls({ ...options, ca, ALPNProtocols: ["h2"] }) : connectTcp(options);
  socket.on("error", () => undefined);
  await once(socket, ca ? "secureConnect" : "connect");
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
  socket.write(SETTINGS);
  return socket;
}

/** Resolves once the other side has closed that many connections, and not just ended them. */
async function untilAllClosed(count: number): Promise<void> {
  while (accepted.length < count) await new Promise(setImmediate);
  for (const socket of accepted) if (!socket.closed) await once(socket, "close");
}

/** Connections with and without a call under way, of peers that stay and of some that leave. */
async function breakOff(port: number, ca?: string): Promise<void> {
  for (const breach of BREACHES)
    for (const call of [Buffer.alloc(0), CALL])
      for (const isLeaving of [false, true]) {
        const socket = await open(port, ca);
        socket.resume().write(Buffer.concat([call, breach]));
        if (isLeaving) socket.end();
      }
  await untilAllClosed(8);
  await Promise.all(streams.map(({ returned }) => returned));
  assert.equal(streams.length, 4);
}

describe("a connection that was broken off for a breach of HTTP/2", () => {
  test("is closed, and its calls cancelled", async () => {
    await breakOff(await start());
  });

  describe("over TLS", { skip: NO_OPENSSL }, () => {
    let authority: Authority;
    before(async () => (authority = await createAuthority()));
    after(() => authority.remove());

    test("is closed, and its calls cancelled", async () => {
      const { cert, key } = await textsOf(await authority.server());
      const port = await start((protocols, secured) =>
        createTlsGate({
          certificate: { current: { cert, key }, close: () => undefined },
          minVersion: "TLSv1.2",
          clientCertificates: "off",
          protocols,
          secured,
          log: { debug: () => undefined },
        }),
      );
      await breakOff(port, await readFile(authority.ca, "utf8"));
    });
  });

  test("keeps no stop waiting", async () => {
    const socket = await open(await start());
    const goneAway = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        if (framesIn(chunk).some(({ type }) => type === TYPE.goaway)) resolve();
      });
    });
    socket.write(Buffer.concat([CALL, ...BREACHES]));
    await goneAway;
    // A grace that is longer than any test.
    await transports.stop(600_000);
    await Promise.all(streams.map(({ returned }) => returned));
  });
});

/** The end of stream 1: a HEADERS frame with END_HEADERS and END_STREAM. */
const TRAILERS = Buffer.from([TYPE.headers, 5, 0, 0, 0, 1]);

test("a peer that reads nothing for a while gets all of its answer", async () => {
  const port = await start();
  const slow = await open(port);
  slow.write(
    Buffer.concat([
      frame({ type: TYPE.settings, payload: Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]) }),
      frame({ type: TYPE.windowUpdate, payload: Buffer.from([0x7f, 0, 0, 0]) }),
      callHead(1, "/lf.a2a.v1.A2AService/GetTask"),
      callMessage(1, T1),
    ]),
  );
  const chunks: Buffer[] = [];
  let length = 0;
  let hasPaused = false;
  const ended = new Promise<void>((resolve) => {
    slow.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > 100_000 && !hasPaused) slow.pause();
      hasPaused ||= slow.isPaused();
      if (Buffer.concat(chunks.slice(-2)).includes(TRAILERS)) resolve();
    });
  });
  await once(slow, "pause");
  // By the time that these have been found, it has been suspected too.
  for (let round = 0; round < 2; round++) {
    const deaf = await open(port);
    deaf.resume().write(BREACHES[0] ?? "");
    await once(deaf, "end");
    deaf.destroy();
  }
  slow.resume();
  await ended;
  const frames = framesIn(Buffer.concat(chunks));
  const received = frames.filter(({ type }) => type === TYPE.data);
  const bytes = received.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);
  assert(bytes > LARGE.length, String(bytes));
  assert(frames.some(({ type }) => type === TYPE.goaway));
  slow.destroy();
});
