/** Bytes that no client should send: whatever they are, the answer is JSON or a gRPC status, and the gateway goes on. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { A2AError } from "../../src/protocol/errors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { exchangeBytes, type RawHttpAnswer } from "../support/raw-socket.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { framed, rawGrpc } from "./raw-grpc.ts";
import { messageOf } from "./requests.ts";

let gateway: RunningGateway;
const handler = new ScriptedHandler(says(completed));

before(async () => {
  gateway = await runGateway({ agents: { agent: { handler } } });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});
afterEach(async () => {
  // Whatever happened, the next caller is served, and nothing is left at work.
  for (const door of gateway.doors) {
    const { totalSize } = await door.call("listTasks", { status: "TASK_STATE_WORKING" });
    assert.equal(totalSize, 0);
  }
});

function requestOf(body: string, headers = `Content-Length: ${body.length}`): string {
  return `POST /message:send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
}

function only(answers: readonly RawHttpAnswer[]): RawHttpAnswer {
  const [answer] = answers;
  assert(answer && answers.length === 1, `${answers.length} answers`);
  assert.equal(answer.type, "application/json");
  JSON.parse(answer.body);
  return answer;
}

const BODY = JSON.stringify(messageOf("hi"));

describe("HTTP/1.1", () => {
  test("a request that comes byte by byte is served", async () => {
    const { answers } = await exchangeBytes(gateway.port, requestOf(BODY));
    assert.equal(only(answers).status, 200);
  });

  test("requests that come in one piece are answered in order", async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const burst = [
      get("/tasks/a"),
      get("/tasks"),
      get("/tasks/b"),
      get("/nothing"),
      requestOf(BODY),
    ];
    const { answers } = await exchangeBytes(gateway.port, [burst.join("")]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 200, 404, 404, 200],
    );
    for (const { type } of answers) assert.equal(type, "application/json");
  });

  test("a body in chunks is served, and broken chunks are refused", async () => {
    const chunked = (text: string) => requestOf(text, "Transfer-Encoding: chunked");
    const whole = BODY.split("")
      .map((byte) => `1\r\n${byte}\r\n`)
      .join("");
    const served = await exchangeBytes(gateway.port, [chunked(`${whole}0\r\n\r\n`)]);
    assert.equal(only(served.answers).status, 200);
    for (const broken of ["zz\r\n", "-1\r\n{}\r\n0\r\n\r\n", "fffffffffffffffff\r\n"]) {
      const { answers } = await exchangeBytes(gateway.port, [chunked(broken)]);
      assert.equal(only(answers).status, 400, broken);
    }
  });

  for (const [what, headers] of [
    ["a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked"],
    ["two lengths", `Content-Length: 4\r\nContent-Length: 5`],
    ["a negative length", "Content-Length: -1"],
    ["a length that is no number", "Content-Length: 1e3"],
    ["an unknown transfer encoding", "Transfer-Encoding: chunked, identity"],
    ["a header without a colon", "Nonsense"],
    ["a header with a line feed in it", "A: b\nC d"],
    ["a NUL in a header", "A: b\0c"],
  ] as const)
    test(`a request with ${what} is refused`, async () => {
      const { answers } = await exchangeBytes(gateway.port, [requestOf(BODY, headers)]);
      assert.equal(only(answers).status, 400);
    });

  test("a header that is too large is refused", async () => {
    for (const headers of [`A: ${"x".repeat(100_000)}`, "A: b\r\n".repeat(20_000)]) {
      const { answers } = await exchangeBytes(gateway.port, [requestOf(BODY, headers)]);
      assert.equal(only(answers).status, 431);
    }
  });

  test("a request line that is none is refused", async () => {
    for (const line of [
      "GET / HTTP/9.9\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "HELO there\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
      "GET  /  HTTP/1.1\r\n\r\n",
      "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
    ]) {
      const { answers, text } = await exchangeBytes(gateway.port, [line]);
      // Node refuses a request without a Host by itself, with an empty body.
      assert(answers.length === 1 && (answers[0]?.status ?? 500) < 500, line);
      assert.doesNotMatch(text, /</);
    }
  });

  test("an upgrade is passed over, and an expectation met", async () => {
    const upgrade = `Connection: close, Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${BODY.length}`;
    const upgraded = await exchangeBytes(gateway.port, [requestOf(BODY, upgrade)]);
    assert.equal(only(upgraded.answers).status, 200);
    const expecting = `Expect: 100-continue\r\nContent-Length: ${BODY.length}`;
    const { text } = await exchangeBytes(gateway.port, [requestOf(BODY, expecting)]);
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test("a connection is closed at once after a refusal as too large, when its request was read", async () => {
    handler.script = () => {
      throw new A2AError("TOO_LARGE", "more than the agent takes");
    };
    const start = performance.now();
    const keepAlive = requestOf(BODY).replace("Connection: close\r\n", "");
    const { answers } = await exchangeBytes(gateway.port, [keepAlive]);
    handler.script = says(completed);
    assert.equal(only(answers).status, 413);
    assert(performance.now() - start < 2500);
  });

  test("a compressed body is refused rather than read as text", async () => {
    const headers = `Content-Encoding: gzip\r\nContent-Length: ${BODY.length}`;
    const { answers } = await exchangeBytes(gateway.port, [requestOf(BODY, headers)]);
    assert.equal(only(answers).status, 415);
  });

  test("a caller that leaves at any point of its request leaves nothing behind", async () => {
    const request = requestOf(BODY);
    const turns = handler.turns.length;
    const cuts = Array.from({ length: request.length - 1 }, (_, n) => n).filter((n) => n % 7 === 0);
    await Promise.all(
      cuts.map((cut) => exchangeBytes(gateway.port, [request.slice(0, cut)], { vanish: true })),
    );
    await Promise.all(
      cuts.map((cut) => exchangeBytes(gateway.port, [request.slice(0, cut)], { end: true })),
    );
    assert.equal(handler.turns.length, turns);
  });
});

describe("HTTP/2", () => {
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

  /** Node leaves it to the caller to close a connection after this. */
  const isGoaway = (text: string): boolean => /\0\0[^]\x07\0{5}/.test(text);

  test("garbage after the preface gets no answer but frames, and harms nobody else", async () => {
    for (const garbage of [
      Buffer.alloc(64, 0xff),
      Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
      Buffer.concat([settings, Buffer.from([0, 0, 4, 1, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff])]),
      Buffer.concat([settings, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])]),
    ]) {
      const { text } = await exchangeBytes(gateway.port, [preface, garbage], { until: isGoaway });
      assert.doesNotMatch(text, /HTTP\/1\.1|</);
    }
  });

  test("calls that end with their connection before they are looked at are passed over", async () => {
    const frame = (type: number, flags: number, payload: Buffer): Buffer => {
      const head = Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, 1]);
      return Buffer.concat([head, payload]);
    };
    const text = (value: string): Buffer => Buffer.from([value.length, ...Buffer.from(value)]);
    const fields = [":method", "POST", ":scheme", "http", ":path", "/none", ":authority", "x"];
    const block = Buffer.concat(
      fields.flatMap((each, n) => (n % 2 === 0 ? [Buffer.from([0]), text(each)] : [text(each)])),
    );
    // Fields that are no request; then one on the same stream, which is closed by then.
    const odd = frame(1, 5, Buffer.from("4b8bf04c8e17", "hex"));
    const call = Buffer.concat([frame(1, 4, block), frame(0, 1, Buffer.alloc(5))]);
    const uncaught: unknown[] = [];
    const keep = (thrown: unknown): number => uncaught.push(thrown);
    process.on("uncaughtException", keep);
    for (let round = 0; round < 20; round++)
      for (const pieces of [
        [odd, call, call],
        [call, call],
        [call, odd],
      ])
        await exchangeBytes(
          gateway.port,
          [Buffer.concat([Buffer.from(preface), settings, ...pieces])],
          {
            until: (received) => received !== "",
          },
        );
    process.off("uncaughtException", keep);
    assert.deepEqual(uncaught, []);
  });

  test("a preface that comes byte by byte is one", async () => {
    const { text } = await exchangeBytes(
      gateway.port,
      [...preface.split(""), Buffer.alloc(64, 0xff)],
      {
        until: isGoaway,
      },
    );
    assert.equal(text.charCodeAt(3), 4, "a SETTINGS frame comes first");
  });

  test("bytes that are no message are invalid, on every method", async () => {
    const garbage = [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
      Buffer.from([0x0a, 0x02, 0xc3, 0x28]),
      Buffer.from([0x12, 0x7f]),
      Buffer.alloc(5000, 0x0b),
      Buffer.from("{}"),
    ];
    for (const method of ["SendMessage", "SendStreamingMessage", "GetTask", "SubscribeToTask"])
      for (const message of garbage) {
        const { http, status } = await rawGrpc(gateway.port, method, message);
        assert.deepEqual([http, status], [200, 3], `${method} ${message.toString("hex", 0, 8)}`);
      }
  });

  test("data nested 100,000 levels deep is invalid", async () => {
    // Value { list_value { values { … } } }: each level wraps the one within it.
    const heads: Buffer[] = [];
    let length = 0;
    for (let level = 0; level < 100_000; level++) {
      for (const tag of [0x32, 0x0a]) {
        const head = Buffer.concat([Buffer.from([tag]), varint(length)]);
        heads.push(head);
        length += head.length;
      }
    }
    const value = Buffer.concat(heads.reverse());
    const part = tagged(0x22, tagged(0x0a, value));
    const message = Buffer.concat([tagged(0x0a, Buffer.from("m")), tagged(0x2a, part)]);
    const { status } = await rawGrpc(gateway.port, "SendMessage", tagged(0x12, message));
    assert.equal(status, 3);
  });

  test("a frame that lies about its length or compression is answered by a status", async () => {
    const message = Buffer.from([0x0a, 0]);
    const frames = [
      Buffer.concat([Buffer.from([1, 0, 0, 0, 2]), message]),
      Buffer.concat([Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), message]),
      Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), message]),
      Buffer.concat([framed(message), framed(message)]),
      Buffer.alloc(3),
      Buffer.alloc(0),
    ];
    for (const frame of frames) {
      const { http, status } = await rawGrpc(gateway.port, "GetTask", message, { frame });
      assert.equal(http, 200);
      assert(status > 0 && status <= 16, `${frame.toString("hex")}: ${status}`);
    }
  });

  test("what is no gRPC call is refused without a word of HTML", async () => {
    const unknown = await rawGrpc(gateway.port, "NoSuchMethod", Buffer.alloc(0));
    assert.deepEqual([unknown.http, unknown.status], [200, 12]);
    const headers = { "content-type": "text/html" };
    const { http } = await rawGrpc(gateway.port, "GetTask", Buffer.alloc(0), { headers });
    assert.equal(http, 415);
  });

  test("a connection whose caller is gone is closed, although a body was left unread", async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    for (let n = 0; n < 5; n++)
      await rawGrpc(gateway.port, "SendMessage", Buffer.alloc(5 * 1024 * 1024));
    while (sockets() > before) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

function tagged(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes]);
}
