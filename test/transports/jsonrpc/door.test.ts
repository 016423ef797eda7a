import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { A2AError, type ErrorReason } from "../../../src/protocol/errors.ts";
import { scriptedService, type ScriptedService } from "../../support/scripted-service.ts";
import { sendHttp, type HttpAnswer, type HttpRequest } from "../../support/http-client.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const TASK = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_COMPLETED" } } as const;

describe("the JSON-RPC door", () => {
  let service: ScriptedService;
  let transports: Transports;
  let failure: A2AError | undefined;

  before(async () => {
    service = scriptedService({
      getTask: async () => {
        if (failure !== undefined) throw failure;
        return TASK;
      },
    });
    transports = await startTransports(service, { maxBytes: 10_000 });
  });
  after(() => transports.stop());

  const post = (body: string | Buffer, more: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
    sendHttp(transports.port, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ...more,
      body,
    });
  const errorOf = async (
    body: string | Buffer,
    more?: Partial<HttpRequest>,
  ): Promise<{ id: unknown; code: number; status: number }> => {
    const { status, text, headers } = await post(body, more);
    assert.equal(headers["content-type"], "application/json");
    const answer = JSON.parse(text);
    assert.equal(answer.jsonrpc, "2.0");
    assert.deepEqual(Object.keys(answer), ["jsonrpc", "id", "error"]);
    assert.equal(typeof answer.error.message, "string");
    return { id: answer.id, code: answer.error.code, status };
  };
  const request = (members: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t1" }, ...members });

  const malformed: readonly [name: string, body: string | Buffer, id: unknown, code: number][] = [
    ["truncated JSON", '{"jsonrpc":"2.0","id":1,', null, -32700],
    ["an empty body", "", null, -32700],
    ["bytes that are no UTF-8", Buffer.alloc(20, 0xff), null, -32700],
    ["invalid UTF-8 inside a string", Buffer.from('{"id":"\xff"}', "latin1"), null, -32700],
    ["another jsonrpc version", request({ jsonrpc: "1.0" }), 1, -32600],
    ["no jsonrpc version", '{"id":1,"method":"GetTask"}', 1, -32600],
    ["no method", '{"jsonrpc":"2.0","id":1}', 1, -32600],
    ["an empty method", request({ method: "" }), 1, -32600],
    ["a method that is a number", request({ method: 5 }), 1, -32600],
    ["an object as id", request({ id: {} }), null, -32600],
    ["a boolean as id", request({ id: true }), null, -32600],
    ["an empty array", "[]", null, -32600],
    ["a batch", `[${request({})}]`, null, -32600],
    ["a string", '"text"', null, -32600],
    ["null", "null", null, -32600],
    ["an unknown method", request({ method: "Nothing" }), 1, -32601],
    ["a method in another case", request({ method: "gettask" }), 1, -32601],
    ["a name that every object has", request({ method: "constructor" }), 1, -32601],
    ["params that are an array", request({ params: [1] }), 1, -32602],
    ["params that are a string", request({ params: "x" }), 1, -32602],
    ["deep nesting", `${"[".repeat(4000)}${"]".repeat(4000)}`, null, -32600],
    [
      "deep nesting in params",
      request({ method: "SendMessage" }).replace(
        '{"id":"t1"}',
        `${'{"a":'.repeat(1500)}1${"}".repeat(1500)}`,
      ),
      1,
      -32602,
    ],
  ];
  for (const [name, body, id, code] of malformed)
    test(`answers ${code} to ${name}`, async () => {
      assert.deepEqual(await errorOf(body), { id, code, status: 200 });
    });

  for (const [written, echoed] of [
    ['"a\\"b"', '"a\\"b"'],
    ["0", "0"],
    ["-7", "-7"],
    ["1.5", "1.5"],
    ["12345678901234567890", "12345678901234567890"],
    ["null", "null"],
  ] as const)
    test(`repeats the id ${written}`, async () => {
      const body = `{"params":{"id":"9"},"jsonrpc":"2.0","id":${written},"method":"GetTask"}`;
      const { text } = await post(body);
      assert(text.startsWith(`{"jsonrpc":"2.0","id":${echoed},"result":`), text);
    });

  test("answers a request without an id", async () => {
    const { text } = await post('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t1"}}');
    assert.equal(JSON.parse(text).id, null);
    assert.equal(JSON.parse(text).result.id, "t1");
  });

  test("takes the last of repeated members and undoes escapes in the method", async () => {
    const method = '"method":"ListTasks","method":"\\u0047etTask"';
    const { text } = await post(`{"jsonrpc":"2.0","id":1,${method},"params":{"id":"t1"}}`);
    assert.equal(JSON.parse(text).result.id, "t1");
  });

  test("takes null params as none", async () => {
    const { code } = await errorOf(request({ method: "GetExtendedAgentCard", params: null }));
    assert.equal(code, -32004);
  });

  test("serves an agent below its path, with and without a slash at the end", async () => {
    for (const [path, agent] of [
      ["/", undefined],
      ["/a2a/echo", "echo"],
      ["/a2a/echo/", "echo"],
      ["/a2a//echo?x=1", "echo"],
      ["/a2a/e%63ho", "echo"],
    ] as const) {
      assert.equal((await post(request({}), { path })).status, 200);
      assert.equal(service.received.at(-1)?.call.agent, agent);
    }
  });

  for (const type of [
    "application/json",
    "Application/JSON; charset=utf-8",
    "application/a2a+json",
  ])
    test(`takes the content type ${type}`, async () => {
      const { text } = await post(request({}), { headers: { "content-type": type } });
      assert.equal(JSON.parse(text).result.id, "t1");
    });

  test("takes a missing content type", async () => {
    assert.equal(JSON.parse((await post(request({}), { headers: {} })).text).result.id, "t1");
  });

  test("refuses other content types and encodings with 415, -32005", async () => {
    for (const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/jsonx" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ])
      assert.deepEqual(await errorOf("{'not': 'json'}", { headers }), {
        id: null,
        code: -32005,
        status: 415,
      });
  });

  test("refuses other methods than POST with 405 and says which it takes", async () => {
    const { status, headers, text } = await sendHttp(transports.port, { path: "/a2a/echo" });
    assert.equal(status, 405);
    assert.match(String(headers.allow), /POST/);
    assert.equal(JSON.parse(text).error.code, -32600);
  });

  test("names the version in the query where a header cannot be set", async () => {
    const { code } = await errorOf(request({}), { path: "/?A2A-Version=99.0" });
    assert.equal(code, -32009);
  });

  const statuses: readonly [ErrorReason, number][] = [
    ["UNAUTHENTICATED", 401],
    ["FORBIDDEN", 403],
    ["RATE_LIMITED", 429],
    ["UNAVAILABLE", 200],
    ["TASK_NOT_FOUND", 200],
    ["INTERNAL_ERROR", 200],
  ];
  for (const [reason, status] of statuses)
    test(`answers ${reason} with HTTP ${status}`, async () => {
      failure = new A2AError(reason, "no", { retryAfter: 2.1 });
      const { status: answered, headers } = await post(request({}));
      failure = undefined;
      assert.equal(answered, status);
      assert.equal(headers["retry-after"], "3");
      assert.equal(headers["www-authenticate"], status === 401 ? "Bearer" : undefined);
    });
});
