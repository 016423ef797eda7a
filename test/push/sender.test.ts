import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { Delivery, PushConfig } from "../../src/core/ports/push-store.ts";
import type { Notice } from "../../src/core/ports/webhooks.ts";
import { readyMade } from "../../src/protocol/ready-made.ts";
import { openAddressGuard } from "../../src/push/address-guard.ts";
import { openSender, type SenderParts } from "../../src/push/sender.ts";
import { configOf, deliveryOf, noticeOf, SETTINGS, TASK } from "./support/parts.ts";
import { hang, respondWith, startReceiver, type Respond } from "./support/receiver.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const FIXTURES = "test/handlers/upstream/fixtures";
const CERTIFICATE = {
  key: readFileSync(`${FIXTURES}/key.pem`, "utf8"),
  cert: readFileSync(`${FIXTURES}/cert.pem`, "utf8"),
};

function senderFor(context: TestContext, parts: Partial<SenderParts> = {}) {
  const { settings = SETTINGS } = parts;
  const sender = openSender({
    settings,
    guard: openAddressGuard(settings),
    signer: undefined,
    ca: undefined,
    clock: { now: () => NOW },
    random: () => 0,
    ...parts,
  });
  context.after(() => sender.close());
  return {
    send(
      config: PushConfig,
      delivery: Delivery = deliveryOf(1),
      notice: Notice = noticeOf(1),
      signal = new AbortController().signal,
    ) {
      return sender.send({ config, delivery, notice, signal });
    },
  };
}

async function receiverFor(context: TestContext, respond?: Respond, secure = false) {
  const receiver = await startReceiver(respond, secure ? CERTIFICATE : undefined);
  context.after(() => receiver.close());
  return receiver;
}

test("a delivery of 1.0 is a POST of the event, with what identifies it", async (context) => {
  const receiver = await receiverFor(context);
  const config = configOf(`${receiver.url}?a=b`, { id: "my hook" });
  const outcome = await senderFor(context).send(config, deliveryOf(7, 2), noticeOf(7));
  assert.deepEqual(outcome, { kind: "delivered", status: 204 });
  const [{ method, path, headers, text } = assert.fail()] = receiver.received;
  assert.equal(method, "POST");
  assert.equal(path, "/hook?a=b");
  const status = { state: "TASK_STATE_WORKING" };
  assert.deepEqual(JSON.parse(text), { statusUpdate: { taskId: "t1", contextId: "7", status } });
  const { "content-length": length, traceparent, host, connection, ...others } = headers;
  assert.equal(Number(length), Buffer.byteLength(text));
  assert.match(String(traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.equal(host, `localhost:${receiver.port}`);
  assert.equal(connection, "keep-alive");
  assert.deepEqual(others, {
    "content-type": "application/a2a+json",
    "user-agent": "a2a-gateway",
    "a2a-version": "1.0",
    "a2a-delivery-id": "t1.7.my%20hook",
    "a2a-delivery-attempt": "3",
  });
});

test("a delivery of 0.3 is the task as 0.3 writes it", async (context) => {
  const receiver = await receiverFor(context);
  const config = configOf(receiver.url, { version: "0.3" });
  await senderFor(context).send(config, deliveryOf(2), { task: TASK });
  const [{ headers, text } = assert.fail()] = receiver.received;
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["a2a-version"], "0.3");
  assert.deepEqual(JSON.parse(text), {
    kind: "task",
    id: "t1",
    contextId: "x1",
    status: { state: "completed", timestamp: "2026-01-01T00:00:00.000Z" },
  });
});

test("a task that is ready-made is sent as it is kept", async (context) => {
  const receiver = await receiverFor(context);
  const members = '"id":"t1","contextId":"\u00e9","status":{"state":"TASK_STATE_WORKING"}';
  const task = readyMade<typeof TASK>([{ members }]);
  await senderFor(context).send(configOf(receiver.url), deliveryOf(1), { response: { task } });
  assert.equal(receiver.received[0]?.text, `{"task":{${members}}}`);
});

for (const [title, fields, expected] of [
  ["nothing", {}, {}],
  [
    "a scheme and credentials",
    { authentication: { scheme: "Bearer", credentials: "c" } },
    { authorization: "Bearer c" },
  ],
  [
    "a scheme in lower case",
    { authentication: { scheme: "bearer", credentials: "c" } },
    { authorization: "bearer c" },
  ],
  [
    "ready credentials of Basic",
    { authentication: { scheme: "Basic", credentials: "dTpw" } },
    { authorization: "Basic dTpw" },
  ],
  ["a scheme without credentials", { authentication: { scheme: "Bearer" } }, {}],
  ["empty credentials", { authentication: { scheme: "Bearer", credentials: "" } }, {}],
  ["an empty scheme", { authentication: { scheme: "", credentials: "c" } }, {}],
  ["a token", { token: "t" }, { "x-a2a-notification-token": "t", "a2a-notification-token": "t" }],
  ["an empty token", { token: "" }, {}],
  [
    "a token and credentials",
    { token: "t", authentication: { scheme: "Bearer", credentials: "c" } },
    { authorization: "Bearer c", "x-a2a-notification-token": "t", "a2a-notification-token": "t" },
  ],
] as const)
  test(`a config with ${title} is authenticated with just that`, async (context) => {
    const receiver = await receiverFor(context);
    await senderFor(context).send(configOf(receiver.url, fields));
    const names = ["authorization", "x-a2a-notification-token", "a2a-notification-token"];
    const headers = Object.entries(receiver.received[0]?.headers ?? {});
    assert.deepEqual(
      Object.fromEntries(headers.filter(([name]) => names.includes(name))),
      expected,
    );
  });

test("every try has the id and the trace of its delivery, and a span of its own", async (context) => {
  const receiver = await receiverFor(context);
  const sender = senderFor(context);
  for (const attempts of [0, 1]) await sender.send(configOf(receiver.url), deliveryOf(5, attempts));
  await sender.send(configOf(receiver.url), deliveryOf(6));
  const headers = receiver.received.map((each) => each.headers);
  assert.deepEqual(
    headers.map((each) => [each["a2a-delivery-id"], each["a2a-delivery-attempt"]]),
    [
      ["t1.5.c1", "1"],
      ["t1.5.c1", "2"],
      ["t1.6.c1", "1"],
    ],
  );
  const spans = headers.map((each) => String(each["traceparent"]).split("-"));
  assert.equal(spans[0]?.[1], spans[1]?.[1]);
  assert.notEqual(spans[0]?.[1], spans[2]?.[1]);
  assert.equal(new Set(spans.map(([, , span]) => span)).size, 3);
});

const LATER = { kind: "retry", at: NOW + 1000 } as const;
for (const [status, headers, expected] of [
  [200, {}, { kind: "delivered", status: 200 }],
  [202, {}, { kind: "delivered", status: 202 }],
  [301, { location: "/elsewhere" }, { ...LATER, problem: "HTTP 301" }],
  [307, { location: "http://127.0.0.1:1/" }, { ...LATER, problem: "HTTP 307" }],
  [400, {}, { ...LATER, problem: "HTTP 400" }],
  [401, {}, { ...LATER, problem: "HTTP 401" }],
  [404, {}, { ...LATER, problem: "HTTP 404" }],
  [410, {}, { kind: "gone", problem: "HTTP 410" }],
  [429, { "retry-after": "60" }, { kind: "retry", at: NOW + 60_000, problem: "HTTP 429" }],
  [500, { "retry-after": "60" }, { ...LATER, problem: "HTTP 500" }],
  [503, { "retry-after": "60" }, { kind: "retry", at: NOW + 60_000, problem: "HTTP 503" }],
] as const)
  test(`an answer of ${status} ${JSON.stringify(headers)} is ${expected.kind}`, async (context) => {
    const receiver = await receiverFor(context, respondWith(status, headers));
    assert.deepEqual(await senderFor(context).send(configOf(receiver.url)), expected);
    assert.equal(receiver.received.length, 1);
  });

test("the last try that fails makes the delivery dead", async (context) => {
  const receiver = await receiverFor(context, respondWith(500));
  assert.deepEqual(await senderFor(context).send(configOf(receiver.url), deliveryOf(1, 2)), {
    kind: "dead",
    problem: "HTTP 500; given up after 3 tries",
  });
});

test("a receiver that does not answer is given up in time", async (context) => {
  const receiver = await receiverFor(context, hang);
  const sender = senderFor(context, { settings: { ...SETTINGS, timeout: 50 } });
  assert.deepEqual(await sender.send(configOf(receiver.url)), {
    ...LATER,
    problem: "no answer in time",
  });
});

test("a receiver that accepts no bytes is given up in time", async (context) => {
  const server = createServer((socket) => socket.pause());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const sender = senderFor(context, { settings: { ...SETTINGS, timeout: 50 } });
  const outcome = await sender.send(configOf(`http://127.0.0.1:${port}/`));
  assert.deepEqual(outcome, { ...LATER, problem: "no answer in time" });
});

test("a status counts although its body never ends", async (context) => {
  const receiver = await receiverFor(context, (response) => {
    response.writeHead(200);
    response.write("so far");
  });
  const sender = senderFor(context, { settings: { ...SETTINGS, timeout: 50 } });
  assert.deepEqual(await sender.send(configOf(receiver.url)), { kind: "delivered", status: 200 });
});

test("an endless body is not read to its end", async (context) => {
  const receiver = await receiverFor(context, (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (response.write(Buffer.alloc(16_384))) if (response.destroyed) return;
      response.once("drain", more);
    };
    more();
  });
  const outcome = await senderFor(context).send(configOf(receiver.url));
  assert.deepEqual(outcome, { kind: "delivered", status: 200 });
});

for (const [title, respond, problem] of [
  ["cuts the connection", (r) => r.destroy(), "the connection was cut"],
  ["speaks no HTTP", (r) => r.socket?.end("hello\r\n\r\n"), "the answer is no HTTP"],
] as const satisfies readonly (readonly [string, Respond, string])[])
  test(`a receiver that ${title} gets it again`, async (context) => {
    const receiver = await receiverFor(context, respond);
    const outcome = await senderFor(context).send(configOf(receiver.url));
    assert.deepEqual(outcome, { ...LATER, problem });
  });

test("a receiver that is not there gets it later", async (context) => {
  const receiver = await startReceiver();
  await receiver.close();
  const outcome = await senderFor(context).send(configOf(receiver.url));
  assert.deepEqual(outcome, { ...LATER, problem: "the connection was refused" });
});

test("connections are used again, and one that its receiver closed is no failure", async (context) => {
  const receiver = await receiverFor(context, (response, { text }) => {
    response.writeHead(204).end();
    // Closed after the answer, without a word, as by a server whose patience has ended.
    if (text.includes('"2"')) setImmediate(() => response.req.socket.resetAndDestroy());
  });
  const sender = senderFor(context);
  for (const generation of [1, 2, 3, 4]) {
    const told = noticeOf(generation);
    const outcome = await sender.send(configOf(receiver.url), deliveryOf(generation), told);
    assert.equal(outcome?.kind, "delivered");
  }
  const [first, second, third] = receiver.received.map(({ remotePort }) => remotePort);
  assert.equal(first, second);
  assert.notEqual(second, third);
  assert.equal(receiver.received.length, 4);
});

test("a kept connection that ends in the midst of an answer is a failure, and not used again at once", async (context) => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("data", () => {
      if (++requests % 2 === 1) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      else socket.end("HTTP/1.1 20");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const sender = senderFor(context);
  const config = configOf(`http://127.0.0.1:${port}/`);
  assert.deepEqual(await sender.send(config), { kind: "delivered", status: 204 });
  assert.deepEqual(await sender.send(config), { ...LATER, problem: "the connection was cut" });
  assert.equal(requests, 2);
});

test("a delivery that is cut has no outcome, and its connection is closed", async (context) => {
  const closed: Promise<unknown>[] = [];
  const receiver = await receiverFor(context, (response) => {
    closed.push(once(response, "close"));
  });
  const cut = new AbortController();
  const sent = senderFor(context).send(
    configOf(receiver.url),
    deliveryOf(1),
    noticeOf(1),
    cut.signal,
  );
  await receiver.has(1);
  cut.abort();
  assert.equal(await sent, undefined);
  await Promise.all(closed);
});

test("a delivery that is cut before it began is not sent", async (context) => {
  const receiver = await receiverFor(context);
  const signal = AbortSignal.abort();
  const config = configOf(receiver.url);
  assert.equal(
    await senderFor(context).send(config, deliveryOf(1), noticeOf(1), signal),
    undefined,
  );
  assert.equal(receiver.received.length, 0);
});

test("a receiver with a certificate that is trusted is reached over https", async (context) => {
  const receiver = await receiverFor(context, respondWith(200), true);
  const sender = senderFor(context, { ca: CERTIFICATE.cert });
  for (let time = 0; time < 2; time++)
    assert.equal((await sender.send(configOf(receiver.url)))?.kind, "delivered");
  assert.equal(new Set(receiver.received.map(({ remotePort }) => remotePort)).size, 1);
});

test("a receiver with a certificate of unknown origin gets nothing", async (context) => {
  const receiver = await receiverFor(context, respondWith(200), true);
  const outcome = await senderFor(context).send(configOf(receiver.url));
  assert.equal(outcome?.kind, "retry");
  assert.match(outcome.problem, /^the connection failed \([A-Z_]+\)$/);
  assert.equal(receiver.received.length, 0);
});

for (const [title, url, problem] of [
  ["an address", (port: number) => `http://127.0.0.1:${port}/`, /^the URL must not name a loop/],
  ["a name", (port: number) => `http://hook.test:${port}/`, /^the host has no address/],
] as const)
  test(`a config that leads to ${title} of this machine is dead at once`, async (context) => {
    const receiver = await receiverFor(context);
    const guard = openAddressGuard({ ...SETTINGS, allowPrivate: false }, () =>
      Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
    );
    const outcome = await senderFor(context, { guard }).send(configOf(url(receiver.port)));
    assert.equal(outcome?.kind, "dead");
    assert.match(outcome.problem, problem);
    assert.equal(receiver.received.length, 0);
  });
