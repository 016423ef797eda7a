/** Calls over HTTP that are answered once. */
import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer as createNetServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { errorOf } from "../../../../src/handlers/upstream/peer/peer-failure.ts";
import { fakeAgent, type Script } from "../../../support/fake-agent.ts";
import {
  body,
  endlessLine,
  events,
  gzipBomb,
  json,
  reset,
  rpc,
  rpcOf,
  silence,
} from "../../../support/fake-agent/answers.ts";
import { callOf, errorIn, failureIn, getTask, peerTo, saying, SEND } from "./peers.ts";

const TASK = { id: "t", status: { state: "TASK_STATE_WORKING" } };
const HTML = "<html>secret of 10.0.0.1</html>";

test("calls JSON-RPC with the version, the extensions and the given headers", async (context) => {
  const agent = await fakeAgent(context, rpc({ result: TASK }));
  const peer = peerTo(context, `${agent.url}/rpc?key=1`);
  const headers = { Authorization: "Bearer x", "A2A-Version": "0.1" };
  const call = callOf({ headers, extensions: ["https://a", "https://b"] });
  assert.deepEqual(await peer.call("getTask", { id: "t" }, call), TASK);
  const [received] = agent.received;
  assert.equal(received?.method, "POST");
  assert.equal(received.url, "/rpc?key=1");
  const { id, ...request } = JSON.parse(received.body) as Record<string, unknown>;
  assert.equal(typeof id, "string");
  assert.deepEqual(request, { jsonrpc: "2.0", method: "GETTASK", params: { id: "t" } });
  const sent = received.headers;
  assert.equal(sent["authorization"], "Bearer x");
  assert.equal(sent["a2a-version"], "1.0");
  assert.equal(sent["a2a-extensions"], "https://a, https://b");
  assert.equal(sent["accept"], "application/json");
  assert.equal(sent["accept-encoding"], "identity");
  assert.equal(sent["content-type"], "application/json");
});

test("calls HTTP+JSON below the path of the interface, and keeps its query", async (context) => {
  const agent = await fakeAgent(context, json(TASK));
  const peer = peerTo(context, `${agent.url}/base/?key=1`, "HTTP+JSON");
  await getTask(peer);
  await peer.call("sendMessage", SEND, callOf());
  const lines = agent.received.map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(lines, [
    "GET /base/tasks/t?historyLength=1&key=1",
    "POST /base/sendMessage?key=1",
  ]);
  assert.equal(agent.received[0]?.headers["content-type"], undefined);
  assert.equal(agent.received[0]?.headers["a2a-extensions"], undefined);
});

test("makes one connection for calls that follow each other", async (context) => {
  const agent = await fakeAgent(context, rpc({ result: TASK }));
  const peer = peerTo(context, agent.url);
  for (let count = 0; count < 3; count++) await getTask(peer);
  assert.equal(agent.connections(), 1);
});

test("keeps connections of answers that are not read", async (context) => {
  const agent = await fakeAgent(context, body("text/html", "moved", 302, { location: "/" }));
  const peer = peerTo(context, agent.url);
  for (let count = 0; count < 8; count++)
    assert.match(await errorIn(getTask(peer)), /HTTP 302, which is not followed/);
  // One may be free only after the next call has begun.
  assert.ok(agent.connections() <= 2);
});

test("makes no more connections than allowed, and lets further calls wait", async (context) => {
  const agent = await fakeAgent(context, rpc({ result: TASK }));
  const peer = peerTo(context, agent.url, "JSONRPC", { connections: 2 });
  await Promise.all(Array.from({ length: 10 }, () => getTask(peer)));
  assert.equal(agent.received.length, 10);
  assert.ok(agent.connections() <= 2, `${agent.connections()} connections`);
});

test("reads answers that come in pieces", async (context) => {
  const agent = await fakeAgent(context, (response, received) => {
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    const text = Buffer.from(JSON.stringify(rpcOf(received.body, { result: { id: "ä" } })));
    for (const byte of text) response.write(Buffer.of(byte));
    response.end();
  });
  assert.deepEqual(await getTask(peerTo(context, agent.url)), { id: "ä" });
});

for (const [encoding, compress] of [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)
  test(`reads answers in ${encoding}, though it asks for none`, async (context) => {
    const content = compress(JSON.stringify(TASK));
    const script = body("application/json", content, 200, { "content-encoding": encoding });
    const agent = await fakeAgent(context, script);
    assert.deepEqual(await getTask(peerTo(context, agent.url, "HTTP+JSON")), TASK);
  });

for (const contentType of ["text/plain; charset=utf-8", ""])
  test(`reads JSON that comes as "${contentType}", as some agents send it`, async (context) => {
    const agent = await fakeAgent(context, body(contentType, JSON.stringify(TASK)));
    assert.deepEqual(await getTask(peerTo(context, agent.url, "HTTP+JSON")), TASK);
  });

const INVALID = "INVALID_AGENT_RESPONSE: ";
const ANSWER = `${INVALID}the agent's answer is invalid: `;
const TOO_LONG = `${INVALID}the agent's answer is longer than 100000 bytes`;

const WRONG: readonly (readonly [what: string, script: Script, error: string])[] = [
  ["a lying id", json({ id: "other", result: TASK }), `${ANSWER}id: not that of the request`],
  ["no id", json({ result: TASK }), `${ANSWER}id: not that of the request`],
  ["neither result nor error", rpc({}), `${ANSWER}neither result nor error`],
  ["a list", json([]), `${ANSWER}expected an object`],
  ["a result of another type", rpc({ result: 1 }), `${INVALID}no object`],
  ["broken JSON", body("application/json", '{"id":'), `${ANSWER}not JSON`],
  ["nothing", body("application/json", ""), `${ANSWER}not JSON`],
  ["no UTF-8", body("application/json", Buffer.of(0xff)), `${ANSWER}not UTF-8`],
  ["HTML", body("text/html", HTML), `${ANSWER}of the content type text/html`],
  ["a stream", events(""), `${ANSWER}of the content type text/event-stream`],
  ["an error", rpc({ error: { code: 1 } }), 'TASK_NOT_FOUND: the agent says {"code":1}'],
  [
    "an error without an id",
    json({ id: null, error: { code: 1 } }),
    'TASK_NOT_FOUND: the agent says {"code":1}',
  ],
  [
    "an error and status 400",
    json({ id: null, error: { code: 1 } }, 400),
    'TASK_NOT_FOUND: the agent says {"code":1}',
  ],
  [
    "a redirect",
    body("text/html", "", 307, { location: "http://127.0.0.1:1/" }),
    `${INVALID}the agent answered with HTTP 307, which is not followed`,
  ],
  [
    "HTML and status 404",
    body("text/html", HTML, 404),
    `${INVALID}the agent answered with HTTP 404, without an error that can be read`,
  ],
  ["a gzip bomb", gzipBomb(10_000_000), TOO_LONG],
  ["an endless answer", endlessLine("application/json"), TOO_LONG],
  [
    "gzip that is none",
    body("application/json", "{}", 200, { "content-encoding": "gzip" }),
    `${ANSWER}not in its content encoding`,
  ],
  [
    "cut gzip",
    body("application/json", gzipSync(JSON.stringify(TASK)).subarray(0, 20), 200, {
      "content-encoding": "gzip",
    }),
    `${ANSWER}not in its content encoding`,
  ],
  [
    "another encoding",
    body("application/json", "{}", 200, { "content-encoding": "zstd" }),
    `${ANSWER}in a content encoding that nobody asked for`,
  ],
];
for (const [what, script, error] of WRONG)
  test(`says what is wrong with ${what}, and goes on`, async (context) => {
    let isFirst = true;
    const agent = await fakeAgent(context, (response, received) => {
      (isFirst ? script : rpc({ result: TASK }))(response, received);
      isFirst = false;
    });
    const peer = peerTo(context, agent.url);
    assert.equal(await errorIn(getTask(peer)), error);
    assert.deepEqual(await getTask(peer), TASK);
  });

const REFUSING: readonly (readonly [what: string, script: Script, failure: string])[] = [
  [
    "502",
    body("text/html", HTML, 502),
    "answer UNAVAILABLE: the agent is not available (HTTP 502)",
  ],
  [
    "500",
    body("text/html", HTML, 500),
    "answer UNAVAILABLE: the agent is not available (HTTP 500)",
  ],
  ["401", json({ error: {} }, 401), "answer UNAVAILABLE: the agent refuses the gateway (HTTP 401)"],
  ["503", json({}, 503), "answer UNAVAILABLE: the agent is not available (HTTP 503)"],
  [
    "503 with Retry-After",
    body("text/plain", "", 503, { "retry-after": "7" }),
    "answer (retryable) UNAVAILABLE: the agent is not available (HTTP 503)",
  ],
  [
    "413",
    body("text/html", HTML, 413),
    "answer TOO_LARGE: the agent takes no message of that size (HTTP 413)",
  ],
  [
    "429",
    body("text/plain", "", 429, { "retry-after": "7" }),
    "answer (retryable) RATE_LIMITED: the agent takes no more requests for now (HTTP 429)",
  ],
];
for (const binding of ["JSONRPC", "HTTP+JSON"] as const)
  for (const [what, script, expected] of REFUSING)
    test(`fails when ${binding} is refused with ${what}`, async (context) => {
      const agent = await fakeAgent(context, script);
      const failure = await failureIn(getTask(peerTo(context, agent.url, binding)));
      assert.equal(saying(failure), expected);
      assert.equal(failure.status, Number(what.slice(0, 3)));
      const isTimed = what.startsWith("429") || what.includes("Retry-After");
      assert.equal(errorOf(failure).retryAfter, isTimed ? 7 : undefined);
      assert.equal(errorOf(failure).reason, failure.reason);
    });

test("lets HTTP+JSON read the errors of other statuses", async (context) => {
  const html = await fakeAgent(context, body("text/html", HTML, 404));
  const peer = peerTo(context, html.url, "HTTP+JSON");
  assert.equal(await errorIn(getTask(peer)), "TASK_NOT_FOUND: status 404");
  const error = await fakeAgent(context, json({ code: 1 }, 500));
  const other = peerTo(context, error.url, "HTTP+JSON");
  assert.equal(await errorIn(getTask(other)), 'TASK_NOT_FOUND: the agent says {"code":1}');
});

test("may be sent again when nobody listens", async (context) => {
  const server = createNetServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const failure = await failureIn(getTask(peerTo(context, `http://127.0.0.1:${port}`)));
  assert.equal(saying(failure), "connect (retryable) UNAVAILABLE: the agent cannot be reached");
});

test("may be sent again when no secure connection can be made", async (context) => {
  const agent = await fakeAgent(context, silence);
  const url = agent.url.replace("http:", "https:");
  const failure = await failureIn(getTask(peerTo(context, url)));
  assert.equal(
    saying(failure),
    "connect (retryable) UNAVAILABLE: no secure connection to the agent",
  );
});

test("may not be sent again when the agent has had it", async (context) => {
  const agent = await fakeAgent(context, reset);
  const failure = await failureIn(getTask(peerTo(context, agent.url)));
  assert.equal(saying(failure), "request UNAVAILABLE: the agent cut the connection");
});

test("may be sent again when the agent has had only a part of it", async (context) => {
  const server = createNetServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const peer = peerTo(context, `http://127.0.0.1:${port}`);
  const parts = [{ text: "x".repeat(30_000_000) }];
  const long = { message: { ...SEND.message, parts } };
  const failure = await failureIn(peer.call("sendMessage", long, callOf()));
  assert.equal(saying(failure), "request (retryable) UNAVAILABLE: the agent cut the connection");
});

test("makes a new connection when the agent has closed the one that was kept", async (context) => {
  const agent = await fakeAgent(context, (response, received) => {
    response.on("finish", () => response.socket?.end());
    rpc({ result: TASK })(response, received);
  });
  const peer = peerTo(context, agent.url);
  await getTask(peer);
  await agent.deserted();
  await getTask(peer);
  assert.equal(agent.connections(), 2);
});

test("leaves no listener on the signal of its caller", async (context) => {
  const { signal } = new AbortController();
  const agent = await fakeAgent(context, rpc({ result: TASK }));
  await getTask(peerTo(context, agent.url), { signal });
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("fails when the connection is cut within the answer", async (context) => {
  const agent = await fakeAgent(context, (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write("{", () => response.socket?.destroy());
  });
  const failure = await failureIn(getTask(peerTo(context, agent.url)));
  assert.equal(saying(failure), "answer UNAVAILABLE: the agent cut the connection");
});

test("fails when the answer is no HTTP", async (context) => {
  const agent = await fakeAgent(context, (response) => response.socket?.end("SSH-2.0\r\n\r\n"));
  const failure = await failureIn(getTask(peerTo(context, agent.url)));
  assert.equal(saying(failure), "request INVALID_AGENT_RESPONSE: the agent's answer is no HTTP");
});

test("gives up after the time for a call, and closes its connection", async (context) => {
  const agent = await fakeAgent(context, silence);
  const peer = peerTo(context, agent.url, "JSONRPC", { callTimeout: 30 });
  const failure = await failureIn(getTask(peer));
  assert.equal(saying(failure), "answer DEADLINE_EXCEEDED: the agent did not answer within 30 ms");
  await agent.deserted();
});

test("counts the time to wait for a connection, and keeps nobody who left in the queue", async (context) => {
  const agent = await fakeAgent(context, silence);
  const peer = peerTo(context, agent.url, "JSONRPC", { connections: 1, callTimeout: 30 });
  const failures = await Promise.all([failureIn(getTask(peer)), failureIn(getTask(peer))]);
  assert.deepEqual(new Set(failures.map(({ reason }) => reason)), new Set(["DEADLINE_EXCEEDED"]));
  assert.equal(agent.received.length, 1);
});

test("gives up when no connection can be made in time", async (context) => {
  const sockets: { destroy(): void }[] = [];
  const server = createNetServer((socket) => sockets.push(socket.on("error", () => undefined)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // TCP is there at once, and TLS never.
  const peer = peerTo(context, `https://127.0.0.1:${port}`, "JSONRPC", { connectTimeout: 30 });
  assert.equal(
    saying(await failureIn(getTask(peer))),
    "connect (retryable) UNAVAILABLE: the agent did not accept a connection in time",
  );
});

test("fails with the reason of its signal, and closes its connection", async (context) => {
  const cut = new AbortController();
  const reason = new Error("the caller has left");
  const agent = await fakeAgent(context, () => cut.abort(reason));
  const peer = peerTo(context, agent.url);
  await assert.rejects(getTask(peer, { signal: cut.signal }), reason);
  await assert.rejects(getTask(peer, { signal: cut.signal }), reason);
  await agent.deserted();
  assert.equal(agent.received.length, 1);
});

test("cuts its calls when it is closed, and calls no more", async (context) => {
  const agent = await fakeAgent(context, () => peer.close());
  const peer = peerTo(context, agent.url);
  const expected = "connect UNAVAILABLE: the agent is no longer called";
  assert.equal(saying(await failureIn(getTask(peer))), expected);
  assert.equal(saying(await failureIn(getTask(peer))), expected);
  await agent.deserted();
});
