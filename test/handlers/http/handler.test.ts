import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import type { Handler } from "../../../src/core/ports/handler.ts";
import type { HttpConfig } from "../../../src/handlers/http/config.ts";
import { createHttpHandler } from "../../../src/handlers/http/handler.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { answer, silent, stepsIn, textsIn, turnOf } from "../turns.ts";

type Respond = (response: ServerResponse, body: string, request: IncomingMessage) => void;

/** A handler whose endpoint answers so; both end with the test. */
async function http(
  context: TestContext,
  respond: Respond,
  config: Omit<Partial<HttpConfig>, "kind"> = {},
): Promise<Handler> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => respond(response, body, request));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const handler = createHttpHandler(
    {
      kind: "http",
      url: `${url}/turn`,
      ...config,
      ...(config.cancelUrl !== undefined && { cancelUrl: `${url}${config.cancelUrl}` }),
    },
    { log: silent },
  );
  context.after(async () => {
    await handler.close?.();
    server.closeAllConnections();
    server.close();
  });
  return handler;
}

/** The URL of a server that answers the first bytes of each connection so; it ends with the test. */
async function rawServer(context: TestContext, respond: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => respond(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(type: string, body: string | Buffer, status = 200): Respond {
  return (response) => response.writeHead(status, { "content-type": type }).end(body);
}

const EVENTS = [{ status: "working" }, { artifact: "ä" }, { status: "completed" }];
const STEPS = ["working", "artifact", "completed"];

test("posts the turn as JSON with the configured and the allowed headers", async (context) => {
  const headers = { Authorization: "Bearer x", "x-b": "own" };
  const respond: Respond = (response, body, { method, url, headers }) =>
    answering(
      "application/json",
      JSON.stringify({ message: { parts: [{ data: [method, url, headers, JSON.parse(body)] }] } }),
    )(response, "", {} as IncomingMessage);
  const handler = await http(context, respond, { headers });
  const [event] = await answer(
    handler,
    turnOf("hi", { headers: { "x-a": "1", "x-b": "2", "content-length": "7", "x-bad": "\u2603" } }),
  );
  assert.ok(event?.kind === "message");
  const [method, url, sent, turn] = (event.message.parts[0]?.data ?? []) as unknown as [
    string,
    string,
    Record<string, string>,
    Record<string, unknown>,
  ];
  assert.deepEqual([method, url], ["POST", "/turn"]);
  assert.equal(sent["authorization"], "Bearer x");
  assert.equal(sent["x-a"], "1");
  assert.equal(sent["x-b"], "own");
  assert.equal(sent["x-bad"], undefined);
  assert.equal(sent["content-type"], "application/json");
  assert.equal(sent["accept-encoding"], undefined);
  assert.equal(turn["type"], "a2a_message");
  assert.equal(turn["taskId"], "task-1");
});

for (const [what, type, body] of [
  ["a list in JSON", "application/json; charset=utf-8", JSON.stringify(EVENTS)],
  ["JSON of a vendor", "application/vnd.x+json", JSON.stringify(EVENTS)],
  ["JSON lines", "application/x-ndjson", EVENTS.map((event) => JSON.stringify(event)).join("\n")],
  [
    "JSONL",
    "application/jsonl",
    EVENTS.map((event) => `${JSON.stringify(event)}\r\n\r\n`).join(""),
  ],
  [
    "SSE",
    "text/event-stream",
    `\ufeff: hi\nretry: 10\n\n${EVENTS.map((event, id) => `id: ${id}\nevent: x\ndata: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`,
  ],
  [
    "SSE with other line ends, unknown fields and no end",
    "text/event-stream",
    EVENTS.map((event) => `foo: 1\r\ndata:${JSON.stringify(event)}`).join("\r\n\r\n"),
  ],
] as const) {
  test(`takes events as ${what}`, async (context) => {
    const handler = await http(context, answering(type, body));
    const events = await answer(handler, turnOf(""));
    assert.deepEqual(stepsIn(events), STEPS);
    assert.equal(textsIn(events)[1], "ä");
  });
}

test("takes one event, the form with actions, and no event at all", async (context) => {
  const single = await http(context, answering("application/json", '{"message":"hi"}'));
  assert.deepEqual(textsIn(await answer(single, turnOf(""))), ["hi"]);
  const body = '{"actions":[{"type":"a2a_reply","message":"yo"}]}';
  const actions = await http(context, answering("application/json", body));
  assert.deepEqual(textsIn(await answer(actions, turnOf(""))), ["yo"]);
  const empty = await http(context, (response) => response.writeHead(204).end());
  assert.deepEqual(await answer(empty, turnOf("")), []);
});

test("hands on each event as it comes, wherever the bytes are cut", async (context) => {
  const bytes = Buffer.from(`data: {"artifact":"ä"}\n\n`);
  let response: ServerResponse | undefined;
  const handler = await http(context, (opened) => {
    response = opened.writeHead(200, { "content-type": "text/event-stream" });
    for (const byte of bytes) response.write(Buffer.of(byte));
  });
  const texts: (string | undefined)[] = [];
  for await (const event of handler.handle(turnOf(""))) {
    texts.push(...textsIn([event]));
    response?.end(texts.length === 1 ? bytes : "");
  }
  assert.deepEqual(texts, ["ä", "ä"]);
});

for (const [what, respond, message] of [
  ["what is not JSON", answering("application/json", "{"), /invalid: not JSON/],
  ["a line that is not JSON", answering("application/jsonl", "\n{"), /line 2: not JSON/],
  ["an SSE event that is not JSON", answering("text/event-stream", "data: x\n\n"), /event 1: not/],
  [
    "an unknown state",
    answering("application/json", '[{"status":"x"}]'),
    /\[0\]\.status: no state/,
  ],
  ["what is not UTF-8", answering("application/json", Buffer.of(0x22, 0xff, 0x22)), /not UTF-8/],
  ["SSE that is not UTF-8", answering("text/event-stream", Buffer.of(0xff)), /not UTF-8/],
  ["a page", answering("text/html", "<p>"), /content type text\/html, not with one of/],
  [
    "an answer that is too long",
    answering("application/json", " ".repeat(3000)),
    /longer than 2000 by/,
  ],
  [
    "a line that is too long",
    answering("application/jsonl", "x".repeat(1500)),
    /1: longer than 1000/,
  ],
  [
    "an SSE event that is too long",
    answering("text/event-stream", `data: ${"x".repeat(1500)}\n`),
    /event is longer than 1000 characters/,
  ],
] as const) {
  test(`refuses ${what}`, async (context) => {
    const handler = await http(context, respond, { maxAnswer: 2000, maxEvent: 1000 });
    await assert.rejects(answer(handler, turnOf("")), {
      reason: "INVALID_AGENT_RESPONSE",
      message,
    });
  });
}

test("throws the error that an endpoint answers with, with a 200 or a 4xx", async (context) => {
  const body = '{"error":{"name":"invalid_params","message":"no city"}}';
  for (const status of [200, 404]) {
    const handler = await http(context, answering("application/json", body, status));
    await assert.rejects(answer(handler, turnOf("")), {
      reason: "INVALID_PARAMS",
      message: "no city",
    });
  }
});

test("fails the task for any other status, with the beginning of the body", async (context) => {
  const page = await http(context, answering("text/plain", `bad\u0007 ${"x".repeat(900)}`, 500));
  const [text = ""] = textsIn(await answer(page, turnOf("")));
  assert.match(text, /^the agent's endpoint answered 500: bad x+…$/);
  assert.ok(text.length < 350);
  const moved = await http(context, (response) => response.writeHead(302, { location: "/" }).end());
  assert.deepEqual(textsIn(await answer(moved, turnOf(""))), ["the agent's endpoint answered 302"]);
  const other = await http(context, answering("application/json", '{"error":"x"}', 400));
  assert.deepEqual(textsIn(await answer(other, turnOf(""))), [
    `the agent's endpoint answered 400: {"error":"x"}`,
  ]);
});

for (const type of ["application/json", "application/x-ndjson", "text/event-stream"]) {
  test(`fails the task when an answer as ${type} is cut in the middle`, async (context) => {
    const handler = await http(context, (response) => {
      const head = { "content-type": type, "content-length": "100" };
      response.writeHead(200, head).write('{"status":"wor', () => response.destroy());
    });
    assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
      "the agent's endpoint cut the connection",
    ]);
  });
}

test("keeps the events before the cut", async (context) => {
  const handler = await http(context, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"status":"working"}\n\ndata: {"sta', () =>
      setImmediate(() => response.destroy()),
    );
  });
  assert.deepEqual(stepsIn(await answer(handler, turnOf(""))), ["working", "failed"]);
});

test("fails the task when nobody listens, and names the address in the log only", async (context) => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const log = new RecordedLog();
  const handler = createHttpHandler({ kind: "http", url: `http://127.0.0.1:${port}` }, { log });
  context.after(() => handler.close?.());
  assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
    "the agent's endpoint cannot be reached",
  ]);
  const [line] = log.lines;
  assert.equal(log.lines.length, 1);
  assert.equal(line?.fields["taskId"], "task-1");
  assert.match(String(line?.fields["err"]), new RegExp(`ECONNREFUSED 127.0.0.1:${port}`));
});

test("fails the task when the endpoint speaks something else, or TLS that nobody vouches for", async (context) => {
  const log = new RecordedLog();
  const server = createNetServer((socket) => socket.on("error", () => {}).end("SSH-2.0\r\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const protocol of ["http", "https"]) {
    const url = `${protocol}://127.0.0.1:${port}`;
    const handler = createHttpHandler({ kind: "http", url }, { log });
    context.after(() => handler.close?.());
    assert.deepEqual(stepsIn(await answer(handler, turnOf(""))), ["failed"]);
  }
  assert.equal(log.lines.length, 2);
});

test("throws what is a fault of the gateway and not of the endpoint", async (context) => {
  const handler = await http(context, answering("application/json", "{}"));
  const metadata: Record<string, never> = {};
  Object.assign(metadata, { metadata });
  await assert.rejects(answer(handler, turnOf("", { metadata })), TypeError);
  const wrong = await http(context, answering("application/json", "{}"), {
    headers: { "x-a": "line\nbreak" },
  });
  await assert.rejects(answer(wrong, turnOf("")), { code: "ERR_INVALID_CHAR" });
});

for (const [what, config, respond, message] of [
  ["never begins to answer", { headTimeout: 50 }, () => {}, "did not begin to answer in time"],
  [
    "stops in the middle",
    { idleTimeout: 50 },
    (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/jsonl" }).flushHeaders(),
    "stopped in the middle of its answer",
  ],
  ["takes too long", { timeout: 50 }, () => {}, "did not finish within 50 ms"],
] as const) {
  test(`fails the task when the endpoint ${what}`, async (context) => {
    const handler = await http(context, respond, config);
    assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
      `the agent's endpoint ${message}`,
    ]);
  });
}

for (const [what, head] of [
  ["of HTTP/1.0", "HTTP/1.0 200 OK"],
  ["with Connection: close", "HTTP/1.1 200 OK\r\nconnection: close"],
] as const) {
  for (const [how, pause] of [
    ["", () => {}],
    [", read slowly", () => new Promise((resolve) => setImmediate(resolve))],
  ] as const) {
    test(`takes a long answer ${what} that ends with its connection${how}`, async (context) => {
      const lines = '{"artifact":"a"}\n'.repeat(10_000);
      const url = await rawServer(context, (socket) =>
        socket.end(`${head}\r\ncontent-type: application/x-ndjson\r\n\r\n${lines}`),
      );
      const handler = createHttpHandler({ kind: "http", url }, { log: silent });
      context.after(() => handler.close?.());
      let count = 0;
      for await (const event of handler.handle(turnOf(""))) {
        assert.equal(event.kind, "artifact");
        count++;
        await pause();
      }
      assert.equal(count, 10_000);
    });
  }
}

test("reads no faster than the events are taken", async (context) => {
  const line = `${JSON.stringify({ artifact: "x".repeat(100_000) })}\n`;
  let sent = 0;
  const handler = await http(
    context,
    (response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      const write = () => {
        while (sent < 1000 && ++sent) if (!response.write(line)) return;
        response.end();
      };
      response.on("drain", write);
      write();
    },
    { maxAnswer: 200_000_000 },
  );
  const events = handler.handle(turnOf(""))[Symbol.asyncIterator]();
  await events.next();
  for (let round = 0; round < 1000; round++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(sent < 500, `${sent} of 1000 lines were sent`);
  await events.return?.();
});

test("does not count the time that the events' reader takes as the endpoint's", async (context) => {
  const lines = '{"artifact":"a"}\n'.repeat(10_000);
  const handler = await http(context, answering("application/x-ndjson", lines));
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const kinds = new Set<string>();
  for await (const { kind } of handler.handle(turnOf(""))) {
    if (kinds.size === 0) context.mock.timers.tick(120_000);
    kinds.add(kind);
  }
  assert.deepEqual([...kinds], ["artifact"]);
});

test("sends one turn after another over the same connection", async (context) => {
  const ports = new Set<number | undefined>();
  const handler = await http(context, (response, _body, request) => {
    ports.add(request.socket.remotePort);
    response.writeHead(200, { "content-type": "application/json" }).end('{"message":"hi"}');
  });
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual(textsIn(await answer(handler, turnOf(""))), ["hi"]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(ports.size, 1);
});

test("fails the task when the endpoint accepts no connection in time", async (context) => {
  const url = await rawServer(context, () => {});
  const handler = createHttpHandler(
    { kind: "http", url: url.replace("http:", "https:"), connectTimeout: 50 },
    { log: silent },
  );
  context.after(() => handler.close?.());
  assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
    "the agent's endpoint did not accept a connection in time",
  ]);
});

for (const [what, bytes] of [
  ["ends the connection without an answer", ""],
  ["upgrades the connection", "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
] as const) {
  test(`fails the task when the endpoint ${what}`, async (context) => {
    const url = await rawServer(context, (socket) => socket.end(bytes));
    const handler = createHttpHandler({ kind: "http", url }, { log: silent });
    context.after(() => handler.close?.());
    assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
      "the agent's endpoint cut the connection",
    ]);
  });
}

test("cuts the request when the turn is canceled, and tells nothing more", async (context) => {
  const controller = new AbortController();
  const cut = new AbortController();
  const handler = await http(context, (response) => {
    response.on("close", () => cut.abort());
    response
      .writeHead(200, { "content-type": "application/jsonl" })
      .write('{"status":"working"}\n');
  });
  const seen: string[] = [];
  for await (const event of handler.handle(turnOf("", { signal: controller.signal }))) {
    seen.push(...stepsIn([event]));
    controller.abort();
  }
  assert.deepEqual(seen, ["working"]);
  if (!cut.signal.aborted) await once(cut.signal, "abort");
});

test("tells the cancelUrl, and says so when it refuses", async (context) => {
  const told: string[] = [];
  const respond: Respond = (response, body, { url }) => {
    told.push(`${url} ${body}`);
    response.writeHead(told.length === 1 ? 200 : 500).end();
  };
  const handler = await http(context, respond, { cancelUrl: "/cancel" });
  await handler.cancel?.(turnOf(""), { by: "user" });
  assert.deepEqual(told, [
    '/cancel {"type":"a2a_cancel","agent":"tested","taskId":"task-1","contextId":"context-1","messageId":"message-1","metadata":{"by":"user"}}',
  ]);
  await assert.rejects(
    async () => handler.cancel?.(turnOf(""), undefined),
    /cancelUrl answered 500/,
  );
});

test("is not created with an address that cannot be posted to", () => {
  const create = (config: Omit<HttpConfig, "kind">) => () =>
    createHttpHandler({ kind: "http", ...config }, { log: silent });
  assert.throws(create({ url: "ftp://x" }), /^SettingError: url: expected/);
  assert.throws(create({ url: "http://x", cancelUrl: "x" }), /^SettingError: cancelUrl: expected/);
});
