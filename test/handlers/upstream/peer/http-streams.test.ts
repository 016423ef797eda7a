/** Calls over HTTP that are answered with a stream. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { createGzip } from "node:zlib";
import type { ClientEvent } from "../../../../src/wire/client.ts";
import { fakeAgent, type Script } from "../../../support/fake-agent.ts";
import {
  body,
  endlessLine,
  events,
  json,
  reset,
  rpc,
  rpcEvents,
  rpcOf,
  silence,
} from "../../../support/fake-agent/answers.ts";
import {
  callOf,
  errorIn,
  event,
  failureIn,
  oneByOne,
  peerTo,
  saying,
  streamOf,
  textIn,
  textsOf,
} from "./peers.ts";

const HI = JSON.stringify(event("hi"));

test("asks JSON-RPC for a stream and hands on its events", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a"), event("b")]));
  assert.deepEqual(await textsOf(peerTo(context, agent.url)), ["a", "b"]);
  const { method, headers } = agent.received[0] ?? assert.fail();
  assert.equal(method, "POST");
  assert.equal(headers["accept"], "text/event-stream");
  assert.equal(headers["a2a-version"], "1.0");
});

test("calls nobody before the first event is asked for", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([]));
  const peer = peerTo(context, agent.url);
  const left = streamOf(peer);
  await left.return?.();
  assert.deepEqual(await left.next(), { done: true, value: undefined });
  assert.deepEqual(await textsOf(peer), []);
  assert.equal(agent.received.length, 1);
});

const EVENTS: readonly (readonly [what: string, text: string | Buffer, texts: string[]])[] = [
  [
    "comments, ids, names and retry times",
    `: hi\nid: 1\nevent: x\nretry: 5\ndata: ${HI}\n\n`,
    ["hi"],
  ],
  ["heartbeats", `:\n\nevent: ping\ndata: 5\n\ndata:\n\ndata\n\ndata: ${HI}\n\n`, ["hi"]],
  ["a byte order mark", `\ufeffdata: ${HI}\n\n`, ["hi"]],
  ["no space", `data:${HI}\n\n`, ["hi"]],
  ["several lines", `data: ${HI.replace(",", ",\ndata: ")}\n\n`, ["hi"]],
  ["CR LF", `data: ${HI}\r\n\r\ndata: ${HI}\r\n\r\n`, ["hi", "hi"]],
  ["CR", `data: ${HI}\r\rdata: ${HI}\r\r`, ["hi", "hi"]],
  ["no blank line at the end", `data: ${HI}\n\ndata: ${HI}`, ["hi", "hi"]],
  ["a cut event at the end", `data: ${HI}\n\ndata: ${HI.slice(0, 9)}`, ["hi"]],
  ["nothing at all", "", []],
];
for (const [what, text, texts] of EVENTS)
  test(`reads streams with ${what}, wherever they are cut`, async (context) => {
    const whole = await fakeAgent(context, events(text));
    assert.deepEqual(await textsOf(peerTo(context, whole.url, "HTTP+JSON")), texts);
    const pieces = await fakeAgent(context, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    assert.deepEqual(await textsOf(peerTo(context, pieces.url, "HTTP+JSON")), texts);
  });

for (const [what, lineEnd] of [
  ["LF", "\n"],
  ["CR LF", "\r\n"],
  ["CR", "\r"],
] as const)
  test(`hands on events with ${what} as they come`, async (context) => {
    let opened: ServerResponse | undefined;
    const agent = await fakeAgent(context, (response) => {
      opened = response.writeHead(200, { "content-type": "text/event-stream" });
      opened.write(`data: ${HI}${lineEnd}${lineEnd}`);
    });
    const texts: string[] = [];
    const stream = peerTo(context, agent.url, "HTTP+JSON").stream(
      "subscribeToTask",
      { id: "t" },
      callOf(),
    );
    for await (const each of oneByOne(stream)) {
      texts.push(textIn(each));
      opened?.end(texts.length === 1 ? `data: ${HI}${lineEnd}${lineEnd}` : "");
    }
    assert.deepEqual(texts, ["hi", "hi"]);
  });

test("hands on events of a compressed stream as they come", async (context) => {
  const gzip = createGzip();
  const agent = await fakeAgent(context, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    gzip.pipe(response);
    gzip.write(`data: ${HI}\n\n`);
    gzip.flush();
  });
  const stream = streamOf(peerTo(context, agent.url, "HTTP+JSON"));
  assert.equal((await stream.next()).done, false);
  gzip.end(`data: ${HI}\n\n`);
  assert.equal((await stream.next()).done, false);
  assert.equal((await stream.next()).done, true);
});

test("takes an answer in JSON as a stream of one event", async (context) => {
  const rpcAgent = await fakeAgent(context, rpc({ result: event("a") }));
  assert.deepEqual(await textsOf(peerTo(context, rpcAgent.url)), ["a"]);
  const restAgent = await fakeAgent(context, json(event("b")));
  assert.deepEqual(await textsOf(peerTo(context, restAgent.url, "HTTP+JSON")), ["b"]);
});

test("ends after the last event, though the agent does not", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a"), event("b", true)], "silence"));
  assert.deepEqual(await textsOf(peerTo(context, agent.url)), ["a", "b"]);
  await agent.deserted();
});

test("ends when the agent does, whatever the events said, and keeps the connection", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a")], "end"));
  const peer = peerTo(context, agent.url);
  for (let count = 0; count < 3; count++) assert.deepEqual(await textsOf(peer), ["a"]);
  assert.equal(agent.connections(), 1);
});

test("keeps the connection when its reader leaves a stream that ends right then", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a"), event("b")], "end"));
  const peer = peerTo(context, agent.url);
  for (let count = 0; count < 3; count++) {
    const stream = streamOf(peer);
    assert.equal(textIn((await stream.next()).value as ClientEvent), "a");
    await stream.return?.();
  }
  assert.equal(agent.connections(), 1);
});

test("closes the connection soon when its reader leaves a stream that goes on", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a")], "silence"));
  const stream = streamOf(peerTo(context, agent.url));
  await stream.next();
  await stream.return?.();
  await agent.deserted();
});

const INVALID = "INVALID_AGENT_RESPONSE: ";
const ANSWER = `${INVALID}the agent's answer is invalid: `;
const SAYS = 'TASK_NOT_FOUND: the agent says {"code":1}';
const TOO_LONG = `${ANSWER}an event is longer than 50000 characters`;

const WRONG: readonly (readonly [what: string, script: Script, error: string])[] = [
  ["an error in JSON", rpc({ error: { code: 1 } }), SAYS],
  ["an error with status 400", json({ id: null, error: { code: 1 } }, 400), SAYS],
  [
    "an error as an event",
    (response, received) =>
      events(`data: ${JSON.stringify(rpcOf(received.body, { error: { code: 1 } }))}\n\n`)(
        response,
        received,
      ),
    SAYS,
  ],
  [
    "a lying id",
    events('data: {"id":"other","result":{}}\n\n'),
    `${ANSWER}id: not that of the request`,
  ],
  ["broken JSON", events("data: {\n\n"), `${ANSWER}event 1: not JSON`],
  ["no UTF-8", events(Buffer.from("data: \xff\n\n", "latin1")), `${ANSWER}not UTF-8`],
  ["an endless line", endlessLine("text/event-stream"), TOO_LONG],
  ["a long event", events(`data: ${"x".repeat(50_001)}\n\n`), TOO_LONG],
  ["endless data", events(`data: ${"x".repeat(99)}\n`.repeat(600), "silence"), TOO_LONG],
  ["HTML", body("text/html", "<html>"), `${ANSWER}of the content type text/html`],
];
for (const [what, script, error] of WRONG)
  test(`says what is wrong with a stream of ${what}, and leaves nothing open`, async (context) => {
    const agent = await fakeAgent(context, script);
    const peer = peerTo(context, agent.url);
    assert.equal(await errorIn(textsOf(peer)), error);
    peer.close();
    await agent.deserted();
  });

test("throws the error event of HTTP+JSON after the events before it", async (context) => {
  const agent = await fakeAgent(
    context,
    events(`data: ${HI}\n\nevent: error\ndata: {"code":1}\n\n`),
  );
  const stream = streamOf(peerTo(context, agent.url, "HTTP+JSON"));
  assert.equal((await stream.next()).done, false);
  assert.equal(await errorIn(stream.next()), SAYS);
});

const FAILING: readonly (readonly [what: string, script: Script, failure: string])[] = [
  [
    "is refused",
    body("text/html", "<html>", 502),
    "answer UNAVAILABLE: the agent is not available (HTTP 502)",
  ],
  ["is cut before it begins", reset, "request UNAVAILABLE: the agent cut the connection"],
  [
    "does not begin",
    silence,
    "request DEADLINE_EXCEEDED: the agent did not begin to answer in time",
  ],
];
for (const [what, script, expected] of FAILING)
  test(`fails when a stream ${what}`, async (context) => {
    const agent = await fakeAgent(context, script);
    const limits = script === silence ? { headTimeout: 50 } : {};
    const peer = peerTo(context, agent.url, "JSONRPC", limits);
    assert.equal(saying(await failureIn(textsOf(peer))), expected);
    peer.close();
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
  test(`fails after the events before when a stream ${what}`, async (context) => {
    const agent = await fakeAgent(context, rpcEvents([event("a"), event("b")], then));
    const limits = then === "silence" ? { idleTimeout: 50 } : {};
    const stream = streamOf(peerTo(context, agent.url, "JSONRPC", limits));
    const texts: string[] = [];
    const reading = (async () => {
      for (let next = await stream.next(); !next.done; next = await stream.next())
        texts.push(textIn(next.value));
    })();
    assert.equal(saying(await failureIn(reading)), expected);
    assert.deepEqual(texts, ["a", "b"]);
    await agent.deserted();
  });

test("takes comments as a sign of life", async (context) => {
  let comments = 0;
  const agent = await fakeAgent(context, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => {
      response.write(":\n\n");
      if (++comments < 20) return;
      clearInterval(timer);
      response.end(`data: ${HI}\n\n`);
    }, 20);
  });
  const peer = peerTo(context, agent.url, "HTTP+JSON", { idleTimeout: 350 });
  assert.deepEqual(await textsOf(peer), ["hi"]);
});

test("lets its reader take longer than the agent may", async (context) => {
  const agent = await fakeAgent(context, events(`data: ${HI}\n\n`, "silence"));
  const stream = streamOf(peerTo(context, agent.url, "HTTP+JSON", { idleTimeout: 20 }));
  await stream.next();
  await new Promise((resolve) => setTimeout(resolve, 60));
  const { message } = await failureIn(stream.next());
  assert.equal(message, "the agent stopped in the middle of its answer");
});

test("closes the connection at once when its reader leaves, even while it waits", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a")], "silence"));
  const stream = streamOf(peerTo(context, agent.url));
  await stream.next();
  const waiting = stream.next();
  await stream.return?.();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await agent.deserted();
});

test("fails with the reason of its signal", async (context) => {
  const cut = new AbortController();
  const agent = await fakeAgent(context, rpcEvents([event("a")], "silence"));
  const stream = streamOf(peerTo(context, agent.url), { signal: cut.signal });
  await stream.next();
  const waiting = stream.next();
  cut.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await agent.deserted();
});

test("lets streams wait for a connection, but not for ever", async (context) => {
  const agent = await fakeAgent(context, rpcEvents([event("a")], "silence"));
  const peer = peerTo(context, agent.url, "JSONRPC", { connections: 1, headTimeout: 300 });
  const first = streamOf(peer);
  await first.next();
  assert.equal(
    saying(await failureIn(streamOf(peer).next())),
    "queue (retryable) UNAVAILABLE: too many calls to the agent are under way",
  );
  const second = streamOf(peer).next();
  await first.return?.();
  assert.equal((await second).done, false);
});

test("reads no faster than its reader", async (context) => {
  let written = 0;
  const chunk = Buffer.from(`data: ${HI}${" ".repeat(30_000)}\n\n`);
  const agent = await fakeAgent(context, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (): void => {
      do written++;
      while (response.write(chunk) && !response.destroyed);
    };
    response.on("drain", write);
    write();
  });
  const stream = streamOf(peerTo(context, agent.url, "HTTP+JSON"));
  await stream.next();
  let before = -1;
  // The buffers of the system fill up, and then nothing more is written.
  for (; before !== written; await new Promise((resolve) => setTimeout(resolve, 100)))
    before = written;
  assert.ok(written * chunk.length < 32_000_000, `${written} events were taken`);
  await stream.return?.();
  await agent.deserted();
});

test("leaves no listener on the signal of its caller", async (context) => {
  const { signal } = new AbortController();
  const agent = await fakeAgent(context, rpcEvents([event("a")], "silence"));
  const peer = peerTo(context, agent.url);
  const stream = streamOf(peer, { signal });
  await stream.next();
  await stream.return?.();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
