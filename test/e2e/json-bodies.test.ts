/** Malformed requests, query parameters and hostile JSON: what only the two JSON doors can be sent. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp, type HttpAnswer } from "../support/http-client.ts";
import { Puppet, says, ScriptedHandler, completed, working } from "../support/scripted-handler.ts";
import { atOnce, messageOf, taskIn } from "./requests.ts";

let gateway: RunningGateway;
const handler = new ScriptedHandler(says(working, completed));

before(async () => {
  gateway = await runGateway({ agents: { agent: { handler, settings: { cancelGrace: "20ms" } } } });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

interface Answered {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly details?: unknown };
  readonly result?: unknown;
}

function bodyOf(answer: HttpAnswer): Answered {
  assert.equal(answer.headers["content-type"], "application/json");
  return JSON.parse(answer.text) as Answered;
}

async function post(
  path: string,
  body?: string | Buffer,
  type: string | null = "application/json",
) {
  const headers = type === null ? {} : { "content-type": type };
  return sendHttp(gateway.port, {
    method: "POST",
    path,
    headers,
    ...(body !== undefined && { body }),
  });
}

async function get(path: string): Promise<HttpAnswer> {
  return sendHttp(gateway.port, { path });
}

async function codeOf(body: string | Buffer): Promise<readonly [number | undefined, unknown]> {
  const answer = await post("/", body);
  assert.equal(answer.status, 200);
  const { jsonrpc, id, error } = bodyOf(answer) as Answered & { readonly jsonrpc: unknown };
  assert.equal(jsonrpc, "2.0");
  return [error?.code, id];
}

async function waitingTask(): Promise<string> {
  const puppet = new Puppet();
  puppet.say(working);
  handler.script = puppet.script;
  const { id } = taskIn(await gateway.doors[0].call("sendMessage", atOnce("wait")));
  handler.script = says(working, completed);
  return id;
}

describe("JSON-RPC", () => {
  // Malformed JSON-RPC.
  const cases: Readonly<Record<string, readonly [string | Buffer, number, unknown]>> = {
    "a truncated body": ['{"jsonrpc":"2.0","id":1,', -32700, null],
    "an empty body": ["", -32700, null],
    "bytes that are no UTF-8": [Buffer.alloc(16, 0xff), -32700, null],
    "bytes that are no UTF-8 within a text": [
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"\xff"}}', "latin1"),
      -32700,
      null,
    ],
    "a byte order mark": ["\ufeff{}", -32700, null],
    "a text": ['"text"', -32600, null],
    "a number": ["7", -32600, null],
    null: ["null", -32600, null],
    "an empty batch": ["[]", -32600, null],
    "a batch": ['[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]', -32600, null],
    "another version of JSON-RPC": ['{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600, 1],
    "no version of JSON-RPC": ['{"id":1,"method":"GetTask"}', -32600, 1],
    "no method": ['{"jsonrpc":"2.0","id":1}', -32600, 1],
    "an empty method": ['{"jsonrpc":"2.0","id":1,"method":""}', -32600, 1],
    "a method that is no text": ['{"jsonrpc":"2.0","id":1,"method":{"a":1}}', -32600, 1],
    "an id that is an object": ['{"jsonrpc":"2.0","id":{},"method":"ListTasks"}', -32600, null],
    "an unknown method": ['{"jsonrpc":"2.0","id":"x","method":"NoSuch"}', -32601, "x"],
    "a method of Object": ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601, 1],
    "params that are a list": [
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}',
      -32602,
      1,
    ],
    "params that are a text": [
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}',
      -32602,
      1,
    ],
    "an id of the task that is a number": [
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":5}}',
      -32602,
      1,
    ],
  };
  for (const [what, [body, code, id]] of Object.entries(cases))
    test(`answers ${code} to ${what}`, async () => {
      assert.deepEqual(await codeOf(body), [code, id]);
    });

  test("answers with an envelope to every other HTTP method and content type", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      const answer = await sendHttp(gateway.port, { method, path: "/a2a/agent" });
      assert.equal(answer.status, 405);
      assert.equal(bodyOf(answer).error?.code, -32600);
    }
    const answer = await post("/", "<a/>", "text/html");
    assert.equal(answer.status, 415);
    assert.equal(bodyOf(answer).error?.code, -32005);
  });

  test("takes the escaped name of a method as its name, and of repeated members the last", async () => {
    const escaped = '{"jsonrpc":"2.0","id":1,"method":"List\\u0054asks"}';
    assert.deepEqual(await codeOf(escaped), [undefined, 1]);
    const repeated = '{"jsonrpc":"2.0","id":1,"method":"NoSuch","method":"ListTasks"}';
    assert.deepEqual(await codeOf(repeated), [undefined, 1]);
  });

  test("takes no params, null and an empty object alike", async () => {
    for (const params of ["", ',"params":null', ',"params":{}'])
      assert.deepEqual(await codeOf(`{"jsonrpc":"2.0","id":1,"method":"ListTasks"${params}}`), [
        undefined,
        1,
      ]);
  });
});

describe("HTTP+JSON", () => {
  // POST without a body.
  for (const [what, body, type] of [
    ["no body and no content type", undefined, null],
    ["an empty body of JSON", "", "application/json"],
    ["null", "null", "application/json"],
    ["{}", "{}", "application/a2a+json; charset=utf-8"],
    ["a body without a content type", "{}", null],
  ] as const)
    test(`cancels a task by a POST with ${what}`, async () => {
      const id = await waitingTask();
      const answer = await post(`/tasks/${id}:cancel`, body, type);
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await gateway.doors[2].call("getTask", { id }))["id"], id);
    });

  test("refuses a body that names another task than the path, and cancels neither", async () => {
    const id = await waitingTask();
    const answer = await post(`/tasks/${id}:cancel`, '{"id":"another"}');
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(bodyOf(answer)), /"field":"id"/);
    const { status } = await gateway.doors[1].call("getTask", { id });
    assert.equal((status as { state: string }).state, "TASK_STATE_WORKING");
  });

  test("hands the metadata of a cancel to the agent", async () => {
    const id = await waitingTask();
    await post(`/tasks/${id}:cancel`, '{"metadata":{"k":1}}');
    assert.deepEqual(handler.cancels.at(-1), { k: 1 });
  });

  // Query parameters.
  for (const [query, field] of [
    ["includeArtifacts=FALSE", "includeArtifacts"],
    ["includeArtifacts=1", "includeArtifacts"],
    ["historyLength=abc", "historyLength"],
    ["historyLength=-1", "historyLength"],
    ["historyLength=1e3", "historyLength"],
    ["pageSize=10&pageSize=20", "pageSize"],
    ["pageSize=10.5", "pageSize"],
    ["pageSize=0x10", "pageSize"],
    ["pageSize=101", "pageSize"],
    ["page_size=-5", "pageSize"],
    ["pageSize=99999999999999999999", "pageSize"],
    ["statusTimestampAfter=1700000000", "statusTimestampAfter"],
    ["statusTimestampAfter=yesterday", "statusTimestampAfter"],
    ["pageToken=%00", "pageToken"],
    ["pageToken=../../x", "pageToken"],
    ["status=TASK_STATE_RUNNING", "status"],
  ] as const)
    test(`names the field that is wrong in ?${query}`, async () => {
      const answer = await get(`/tasks?${query}`);
      assert.equal(answer.status, 400, answer.text);
      assert.match(JSON.stringify(bodyOf(answer).error?.details), new RegExp(`"field":"${field}"`));
    });

  for (const query of [
    "includeArtifacts=false",
    "include_artifacts=true",
    "pageSize=5",
    "pageSize=0",
    "page_size=5",
    "contextId=",
    "pageToken=",
    "status=",
    "unknown=1",
    "__proto__=1&constructor=2",
    "statusTimestampAfter=2026-01-01T00:00:00Z",
    "statusTimestampAfter=2026-01-01T00:00:00+02:00",
    "statusTimestampAfter=2026-01-01T00:00:00%2B02:00",
    "contextId=%00%ff",
    "a2a-version=1.0",
  ])
    test(`lists tasks for ?${query}`, async () => {
      const answer = await get(`/tasks?${query}`);
      assert.equal(answer.status, 200, answer.text);
      bodyOf(answer);
    });

  test("says the text false and means it", async () => {
    const { contextId } = taskIn(await gateway.doors[0].call("sendMessage", messageOf("hi")));
    const list = async (value: string) =>
      JSON.parse((await get(`/tasks?contextId=${contextId}&includeArtifacts=${value}`)).text);
    assert.equal("artifacts" in (await list("false")).tasks[0], false);
    assert.deepEqual((await list("true")).tasks[0].artifacts, []);
  });

  test("answers in JSON whatever the path", async () => {
    for (const path of [
      "/nothing",
      "/tasks/%zz",
      "/tasks/%00",
      "/tasks/..%2f..%2fetc",
      "/a2a/nobody/tasks",
      "/a2a/agent/tasks/x:explode",
      "/a2a//tasks",
      "/%2e%2e/%2e%2e",
      "//evil.example/tasks",
      "/a2a/agent/message:send",
      "/__proto__/tasks",
      `/${"x".repeat(8000)}`,
      "/message:send?%",
    ]) {
      const answer = await get(path);
      assert(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
      assert(bodyOf(answer).error, path);
    }
  });
});

describe("both JSON doors", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const message = (data: string) =>
    `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]}}`;
  const rpc = (params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;

  for (const [what, params] of [
    ["data nested 100,000 levels deep", message(nested(100_000))],
    [
      "objects nested 50,000 levels deep",
      message(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`),
    ],
    [
      "metadata nested 100,000 levels deep",
      message(`1`).replace("}]}}", `}],"metadata":{"a":${nested(100_000)}}}}`),
    ],
  ] as const)
    test(`refuse ${what}`, async () => {
      const [direct, wrapped] = [await post("/message:send", params), await post("/", rpc(params))];
      assert.equal(direct.status, 400, direct.text);
      assert.equal(bodyOf(direct).error?.code, 400);
      assert.equal(wrapped.status, 200);
      assert.equal(bodyOf(wrapped).error?.code, -32602);
    });

  for (const [what, params, isFine] of [
    ["a list of 100,000 data", message(`[${"0,".repeat(99_999)}0]`), true],
    ["100,000 parts", message("1").replace("[{", `[${'{"text":"x"},'.repeat(99_999)}{`), true],
    [
      "100,000 parts that are wrong",
      message("1").replace("[{", `[${"{},".repeat(99_999)}{`),
      false,
    ],
    [
      "100,000 referenced tasks",
      message("1").replace("}]}}", `}],"referenceTaskIds":[${'"t",'.repeat(99_999)}"t"]}}`),
      true,
    ],
    [
      "100,000 members",
      message(`{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join(",")}}`),
      true,
    ],
    [
      "members named like those of every object",
      message(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}',
      ),
      true,
    ],
    [
      "members of the request named like those of every object",
      `{"__proto__":{"message":{}},"constructor":1,${message("1").slice(1)}`,
      true,
    ],
    [
      "numbers that JSON takes and doubles do not",
      message("[1e400,-1e400,123456789012345678901234567890]"),
      undefined,
    ],
    ["half of a surrogate pair", message('"\\ud800"'), undefined],
  ] as const)
    test(`answer to ${what} at once, and in their own shape`, async () => {
      const [direct, wrapped] = [await post("/message:send", params), await post("/", rpc(params))];
      const isTaken = direct.status === 200;
      assert(direct.status < 500, direct.text.slice(0, 200));
      if (isFine !== undefined) assert.equal(isTaken, isFine, direct.text.slice(0, 200));
      assert.equal(bodyOf(direct).error === undefined, isTaken);
      assert.equal(bodyOf(wrapped).error === undefined, isTaken);
      assert(direct.text.length < 2 * params.length + 4096, `${direct.text.length} characters`);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    });

  test("what members named like those of every object say is kept as it is", async () => {
    const data = '{"__proto__":{"polluted":1},"constructor":2}';
    const { result } = bodyOf(await post("/", rpc(message(data)))) as {
      result: { task: { id: string } };
    };
    for (const door of gateway.doors) {
      const { history } = await door.call("getTask", { id: result.task.id });
      const [said] = history as { parts: { data: unknown }[] }[];
      assert.equal(JSON.stringify(said?.parts[0]?.data), data, door.name);
    }
  });
});
