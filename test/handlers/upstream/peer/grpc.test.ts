import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer as createNetServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { grpcTargetOf } from "../../../../src/handlers/upstream/peer/grpc-target.ts";
import {
  fakeGrpcAgent,
  framed,
  messages,
  type GrpcScript,
} from "../../../support/fake-agent/grpc.ts";
import {
  bytes,
  callOf,
  errorIn,
  event,
  failureIn,
  getTask,
  peerTo,
  saying,
  SEND,
  streamOf,
  textIn,
  textsOf,
} from "./peers.ts";

const TASK = { id: "t", status: { state: "TASK_STATE_WORKING" } };

test("calls with the version, the extensions, the headers and a deadline", async (context) => {
  const agent = await fakeGrpcAgent(context, messages([bytes(TASK)]));
  const peer = peerTo(context, agent.address, "GRPC");
  const headers = { Authorization: "Bearer x", "a2a-version": "0.1", "x-ä": "1", "x-a": "ä" };
  const call = callOf({ headers, extensions: ["https://a", "https://b"] });
  assert.deepEqual(await peer.call("sendMessage", SEND, call), TASK);
  const [received] = agent.received;
  assert.equal(received?.path, "/plain.Service/sendMessage");
  assert.deepEqual(JSON.parse(received.message.toString()), SEND);
  assert.equal(received.headers["authorization"], "Bearer x");
  assert.equal(received.headers["a2a-version"], "1.0");
  assert.equal(received.headers["a2a-extensions"], "https://a, https://b");
  assert.equal(received.headers["x-a"], undefined);
  assert.match(String(received.headers["grpc-timeout"]), /^\d+m$/);
});

test("takes URLs too", async (context) => {
  const agent = await fakeGrpcAgent(context, messages([bytes(TASK)]));
  const peer = peerTo(context, `http://${agent.address}/any/path`, "GRPC");
  assert.deepEqual(await getTask(peer), TASK);
});

for (const [address, target, isSecure] of [
  ["agent.example:50051", "dns:agent.example:50051", false],
  ["agent.example:443", "dns:agent.example:443", true],
  ["agent.example", "dns:agent.example:443", true],
  ["https://agent.example", "dns:agent.example:443", true],
  ["https://agent.example:8443/x", "dns:agent.example:8443", true],
  ["http://agent.example", "dns:agent.example:80", false],
  ["http://[::1]:50051", "dns:[::1]:50051", false],
  ["[::1]:50051", "dns:[::1]:50051", false],
] as const)
  test(`calls ${target} for ${address}${isSecure ? " over TLS" : ""}`, () => {
    const found = grpcTargetOf(address, undefined);
    assert.equal(found.target, target);
    assert.equal(found.credentials._isSecure(), isSecure);
  });

test("is not opened with what is no address", () => {
  assert.throws(() => grpcTargetOf("a b", undefined), /not the address of a gRPC interface/);
});

test("hands on the events of a stream as they come", async (context) => {
  const agent = await fakeGrpcAgent(context, (stream) => {
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    const frame = framed(bytes(event("a")));
    for (const byte of frame) stream.write(Buffer.of(byte));
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    more = () => stream.end(framed(bytes(event("b"))));
  });
  let more = () => {};
  const stream = streamOf(peerTo(context, agent.address, "GRPC"));
  const first = await stream.next();
  assert.equal(first.done ? "" : textIn(first.value), "a");
  more();
  const second = await stream.next();
  assert.equal(second.done ? "" : textIn(second.value), "b");
  assert.equal((await stream.next()).done, true);
});

test("ends after the last event, though the agent does not", async (context) => {
  const agent = await fakeGrpcAgent(context, messages([bytes(event("a", true))], "silence"));
  assert.deepEqual(await textsOf(peerTo(context, agent.address, "GRPC")), ["a"]);
  await agent.deserted();
});

test("lets a call end that ends right after its last event", async (context) => {
  let ended: Promise<number> | undefined;
  const agent = await fakeGrpcAgent(context, (stream, received) => {
    ended = once(stream, "close").then(() => stream.rstCode);
    messages([bytes(event("a", true))])(stream, received);
  });
  assert.deepEqual(await textsOf(peerTo(context, agent.address, "GRPC")), ["a"]);
  assert.equal(await ended, 0);
});

const INVALID = "INVALID_AGENT_RESPONSE: the agent's answer is";
const WRONG: readonly (readonly [what: string, script: GrpcScript, error: string])[] = [
  [
    "an error with details",
    messages([], {
      "grpc-status": "5",
      "grpc-message": "no t%C3%A4sk",
      "grpc-status-details-bin": Buffer.from("details").toString("base64"),
    }),
    "TASK_NOT_FOUND: 5 no täsk details",
  ],
  ["no message", messages([]), `${INVALID} invalid: 0 messages instead of one`],
  [
    "two messages",
    messages([bytes(TASK), bytes(TASK)]),
    `${INVALID} invalid: 2 messages instead of one`,
  ],
  ["another type", messages([bytes(1)]), "INVALID_AGENT_RESPONSE: no object"],
  ["too many bytes", messages([Buffer.alloc(100_001)]), `${INVALID} longer than 100000 bytes`],
  [
    "a gzip bomb",
    (stream) => {
      const head = { ":status": 200, "content-type": "application/grpc", "grpc-encoding": "gzip" };
      stream.respond(head);
      const frame = framed(gzipSync(Buffer.alloc(10_000_000)));
      frame[0] = 1;
      stream.write(frame);
    },
    `${INVALID} longer than 100000 bytes`,
  ],
  [
    "HTTP 404",
    (stream) => {
      stream.respond({ ":status": 404, "content-type": "text/html" });
      stream.end("<html>");
    },
    "INVALID_AGENT_RESPONSE: the agent answered with HTTP 404 and no gRPC",
  ],
];
for (const [what, script, error] of WRONG)
  test(`says what is wrong with ${what}, and goes on`, async (context) => {
    let isFirst = true;
    const agent = await fakeGrpcAgent(context, (stream, received) => {
      (isFirst ? script : messages([bytes(TASK)]))(stream, received);
      isFirst = false;
    });
    const peer = peerTo(context, agent.address, "GRPC");
    assert.equal(await errorIn(getTask(peer)), error);
    assert.deepEqual(await getTask(peer), TASK);
  });

const FAILING: readonly (readonly [what: string, script: GrpcScript, failure: string])[] = [
  [
    "HTML 502",
    (stream) => {
      stream.respond({ ":status": 502, "content-type": "text/html" });
      stream.end("<html>secret</html>");
    },
    "answer UNAVAILABLE: the agent is not available (HTTP 502)",
  ],
  [
    "no trailers",
    messages([bytes(TASK)], "none"),
    "answer UNAVAILABLE: the agent ended the call without a status",
  ],
  ["RST", messages([], "reset"), "answer UNAVAILABLE: the agent cut the connection"],
  [
    "a refused stream",
    (stream) => stream.close(7),
    "request (retryable) UNAVAILABLE: the agent takes no further calls on the connection",
  ],
  [
    "a lost connection",
    (stream) => stream.session?.socket.resetAndDestroy(),
    "answer UNAVAILABLE: the agent cut the connection",
  ],
  [
    "GOAWAY with an error",
    (stream) => stream.session?.destroy(undefined, 2),
    "answer UNAVAILABLE: the agent cut the connection",
  ],
  [
    "UNAUTHENTICATED",
    messages([], { "grpc-status": "16" }),
    "answer UNAVAILABLE: the agent refuses the gateway (gRPC UNAUTHENTICATED)",
  ],
  [
    "UNAVAILABLE",
    messages([], { "grpc-status": "14", "grpc-message": "at 10.0.0.1" }),
    "answer UNAVAILABLE: the agent is not available (gRPC UNAVAILABLE)",
  ],
  [
    "RESOURCE_EXHAUSTED",
    messages([], { "grpc-status": "8" }),
    "answer (retryable) RATE_LIMITED: the agent takes no more requests for now (gRPC RESOURCE_EXHAUSTED)",
  ],
  [
    "a message that is too long for the agent",
    messages([], {
      "grpc-status": "8",
      "grpc-message": "grpc: received message larger than max (9 vs. 4)",
    }),
    "answer TOO_LARGE: the agent takes no message of that size (gRPC RESOURCE_EXHAUSTED)",
  ],
  ["silence", () => {}, "answer DEADLINE_EXCEEDED: the agent did not answer within 300 ms"],
];
for (const [what, script, expected] of FAILING)
  test(`fails with ${what}`, async (context) => {
    const agent = await fakeGrpcAgent(context, script);
    const limits = what === "silence" ? { callTimeout: 300 } : {};
    const peer = peerTo(context, agent.address, "GRPC", limits);
    assert.equal(saying(await failureIn(getTask(peer))), expected);
    await agent.deserted();
  });

test("may be sent again when nobody listens", async (context) => {
  const server = createNetServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const failure = await failureIn(getTask(peerTo(context, `127.0.0.1:${port}`, "GRPC")));
  assert.equal(saying(failure), "connect (retryable) UNAVAILABLE: the agent cannot be reached");
});

test("gives up on a connection that never speaks HTTP/2, and makes another", async (context) => {
  const closed: Promise<unknown>[] = [];
  const server = createNetServer((socket) => {
    closed.push(once(socket.on("error", () => undefined).resume(), "close"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const peer = peerTo(context, `127.0.0.1:${port}`, "GRPC", { connectTimeout: 50 });
  for (let count = 1; count <= 2; count++) {
    assert.equal(
      saying(await failureIn(getTask(peer))),
      "connect (retryable) UNAVAILABLE: the agent did not accept a connection in time",
    );
    assert.equal(closed.length, count);
  }
  await Promise.all(closed);
});

test("finishes its streams after GOAWAY, and makes new calls on a new connection", async (context) => {
  let end = () => {};
  const agent = await fakeGrpcAgent(context, (stream, received) => {
    if (received.path.endsWith("getTask")) return messages([bytes(TASK)])(stream, received);
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.write(framed(bytes(event("a"))));
    end = () => stream.end(framed(bytes(event("b"))));
    stream.session?.goaway(0);
  });
  const peer = peerTo(context, agent.address, "GRPC");
  const stream = streamOf(peer);
  await stream.next();
  assert.deepEqual(await getTask(peer), TASK);
  assert.equal(agent.connections(), 2);
  end();
  const second = await stream.next();
  assert.equal(second.done ? "" : textIn(second.value), "b");
  assert.equal((await stream.next()).done, true);
});

test("makes a further connection for every 90 calls at a time", async (context) => {
  const agent = await fakeGrpcAgent(context, messages([bytes(event("a"))], "silence"));
  const peer = peerTo(context, agent.address, "GRPC");
  const streams = Array.from({ length: 200 }, () => streamOf(peer));
  const firsts = await Promise.all(streams.map((stream) => stream.next()));
  assert.ok(firsts.every(({ done }) => done !== true));
  assert.equal(agent.connections(), 3);
  await Promise.all(streams.map(async (stream) => stream.return?.()));
  await agent.deserted();
});

for (const [what, then, expected] of [
  ["is cut", "reset", "answer UNAVAILABLE: the agent cut the connection"],
  [
    "falls silent",
    "silence",
    "answer DEADLINE_EXCEEDED: the agent stopped in the middle of its answer",
  ],
] as const)
  test(`fails when a stream ${what}`, async (context) => {
    const agent = await fakeGrpcAgent(context, messages([bytes(event("a"))], then));
    const limits = then === "silence" ? { idleTimeout: 50 } : {};
    const peer = peerTo(context, agent.address, "GRPC", limits);
    assert.equal(saying(await failureIn(textsOf(peer))), expected);
    await agent.deserted();
  });

test("fails when a stream does not begin, and when an event is too long", async (context) => {
  const silent = await fakeGrpcAgent(context, () => {});
  const patient = peerTo(context, silent.address, "GRPC", { headTimeout: 50 });
  assert.equal(
    saying(await failureIn(textsOf(patient))),
    "request DEADLINE_EXCEEDED: the agent did not begin to answer in time",
  );
  const long = await fakeGrpcAgent(context, messages([Buffer.alloc(50_001)]));
  assert.equal(
    await errorIn(textsOf(peerTo(context, long.address, "GRPC"))),
    `${INVALID} invalid: a message is longer than 50000 bytes`,
  );
});

test("ends the call at once when its reader leaves, even while it waits", async (context) => {
  const agent = await fakeGrpcAgent(context, messages([bytes(event("a"))], "silence"));
  const stream = streamOf(peerTo(context, agent.address, "GRPC"));
  await stream.next();
  const waiting = stream.next();
  await stream.return?.();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await agent.deserted();
});

test("fails with the reason of its signal, and when it is closed", async (context) => {
  const cut = new AbortController();
  const agent = await fakeGrpcAgent(context, messages([bytes(event("a"))], "silence"));
  const peer = peerTo(context, agent.address, "GRPC");
  const canceled = streamOf(peer, { signal: cut.signal });
  const closed = streamOf(peer);
  await Promise.all([canceled.next(), closed.next()]);
  const waiting = canceled.next();
  cut.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  const failing = failureIn(closed.next());
  peer.close();
  assert.equal((await failing).message, "the agent is no longer called");
  await agent.deserted();
});

test("reads no faster than its reader", async (context) => {
  let written = 0;
  const frame = framed(bytes(event("x".repeat(20_000))));
  const agent = await fakeGrpcAgent(context, (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    const write = (): void => {
      do written++;
      while (!stream.destroyed && stream.write(frame));
    };
    stream.on("drain", write);
    write();
  });
  const stream = streamOf(peerTo(context, agent.address, "GRPC"));
  await stream.next();
  let before = -1;
  for (; before !== written; await new Promise((resolve) => setTimeout(resolve, 100)))
    before = written;
  assert.ok(written < 200, `${written} events were taken`);
  await stream.return?.();
  await agent.deserted();
});

test("leaves no listener on the signal of its caller", async (context) => {
  const { signal } = new AbortController();
  const agent = await fakeGrpcAgent(context, messages([bytes(TASK)]));
  const peer = peerTo(context, agent.address, "GRPC");
  await getTask(peer, { signal });
  await streamOf(peer, { signal }).return?.();
  const stream = streamOf(peer, { signal });
  await stream.next();
  await stream.return?.();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("connects again soon after an agent was away", async (context) => {
  const away = createNetServer((socket) => socket.destroy());
  await once(away.listen(0, "127.0.0.1"), "listening");
  const { port } = away.address() as AddressInfo;
  const peer = peerTo(context, `127.0.0.1:${port}`, "GRPC");
  assert.equal((await failureIn(getTask(peer))).retryable, true);
  await new Promise((resolve) => away.close(resolve));
  const agent = await fakeGrpcAgent(context, messages([bytes(TASK)]), { port });
  for (let attempt = 1; agent.received.length === 0; attempt++) {
    assert.ok(attempt < 50, "the agent is never called again");
    await getTask(peer).catch(() => new Promise((resolve) => setTimeout(resolve, 50)));
  }
});
