/** Answers as agents in the field write them: what is missing or strange, and what cannot be read at all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, failureOf } from "./support.ts";

const newer = clients["1.0"];
const older = clients["0.3"];
const UNREADABLE = "INVALID_AGENT_RESPONSE: the agent's answer cannot be read:";

test("a 0.3 task of the Python SDK is read over JSON-RPC", () => {
  const result = {
    artifacts: [
      {
        artifactId: "a1",
        parts: [
          { kind: "text", text: "x" },
          { file: { bytes: "AP/+gAo=", mimeType: "a/b", name: "f" }, kind: "file" },
          { data: { a: null }, kind: "data" },
        ],
      },
    ],
    contextId: "c1",
    history: [],
    id: "t1",
    kind: "task",
    status: {
      message: {
        kind: "message",
        messageId: "m3",
        parts: [{ kind: "text", text: "done" }],
        role: "agent",
      },
      state: "completed",
      timestamp: "2026-11-30T21:31:20.787223+00:00",
    },
  };
  assert.deepEqual(older.jsonrpc.decode("getTask", result), {
    id: "t1",
    contextId: "c1",
    status: {
      state: "TASK_STATE_COMPLETED",
      message: { messageId: "m3", role: "ROLE_AGENT", parts: [{ text: "done" }] },
      timestamp: "2026-11-30T21:31:20.787Z",
    },
    artifacts: [
      {
        artifactId: "a1",
        parts: [
          { text: "x" },
          { raw: "AP/+gAo=", mediaType: "a/b", filename: "f" },
          { data: { a: null } },
        ],
      },
    ],
    history: [],
  });
});

test("answers of the 0.3 SDKs are read over HTTP+JSON", () => {
  const history = [{ messageId: "m1", role: "ROLE_USER", content: [{ text: "go" }], metadata: {} }];
  const task = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_SUBMITTED" }, history };
  const expected = {
    id: "t1",
    contextId: "c1",
    status: { state: "TASK_STATE_SUBMITTED" },
    history: [{ messageId: "m1", role: "ROLE_USER", parts: [{ text: "go" }], metadata: {} }],
  };
  assert.deepEqual(older.rest.decode("sendMessage", { task }), { task: expected });
  assert.deepEqual(older.rest.decode("sendMessage", task), { task: expected });
  const message = { messageId: "m2", role: "ROLE_AGENT", content: [{ text: "hi" }] };
  const hi = { messageId: "m2", role: "ROLE_AGENT", parts: [{ text: "hi" }] };
  for (const answer of [{ message }, { msg: message }, message])
    assert.deepEqual(older.rest.decode("sendMessage", answer), { message: hi });
  const status = { state: "TASK_STATE_CANCELLED", timestamp: "2026-11-30T21:30:53.670Z" };
  const statusUpdate = { taskId: "t1", contextId: "c1", status, final: true };
  assert.deepEqual(older.rest.decode("subscribeToTask", { statusUpdate }), {
    response: {
      statusUpdate: {
        taskId: "t1",
        contextId: "c1",
        status: { ...status, state: "TASK_STATE_CANCELED" },
      },
    },
    isLast: true,
  });
});

test("the form of JSON-RPC is understood on HTTP+JSON 0.3", () => {
  const task = { kind: "task", id: "t1", status: { state: "working" } };
  const expected = { id: "t1", status: { state: "TASK_STATE_WORKING" } };
  assert.deepEqual(older.rest.decode("sendMessage", task), { task: expected });
  assert.deepEqual(older.rest.decode("sendMessage", { task }), { task: expected });
  assert.deepEqual(older.rest.decode("getTask", task), expected);
});

test("an answer of the 1.0 JavaScript SDK is read, a bare task is one, too", () => {
  const metadata = {};
  const parts = [{ text: "kaput", metadata, mediaType: "text/plain" }];
  const message = { messageId: "m2", contextId: "c1", role: "ROLE_AGENT", parts, metadata };
  const status = { state: "TASK_STATE_FAILED", message, timestamp: "2026-11-30T21:31:20.842Z" };
  const task = { id: "t1", contextId: "c1", status, metadata };
  assert.deepEqual(newer.jsonrpc.decode("sendMessage", { task }), { task });
  assert.deepEqual(newer.rest.decode("sendMessage", task), { task });
  assert.deepEqual(newer.rest.decode("sendMessage", message), { message });
});

test("null is the same as absent, and what is not known is ignored", () => {
  const task = {
    id: "t1",
    contextId: null,
    status: { state: "TASK_STATE_WORKING", message: null, timestamp: null, mood: 1 },
    artifacts: null,
    history: null,
    metadata: null,
    later: {},
  };
  const expected = { id: "t1", status: { state: "TASK_STATE_WORKING" } };
  assert.deepEqual(newer.jsonrpc.decode("sendMessage", { task, message: null }), {
    task: expected,
  });
  assert.deepEqual(newer.rest.decode("getTask", task), expected);
  assert.deepEqual(older.rest.decode("getTask", task), expected);
  const kind = { ...task, kind: "task", status: { ...task.status, state: "working" } };
  assert.deepEqual(older.jsonrpc.decode("getTask", kind), expected);
});

test("a state that is not known is unspecified", () => {
  const task = { task: { id: "t1", status: { state: "TASK_STATE_PAUSED" } } };
  const expected = { task: { id: "t1", status: { state: "TASK_STATE_UNSPECIFIED" } } };
  assert.deepEqual(newer.jsonrpc.decode("sendMessage", task), expected);
  assert.deepEqual(older.rest.decode("sendMessage", task), expected);
  const kind = { kind: "task", id: "t1", status: { state: "paused" } };
  assert.deepEqual(older.jsonrpc.decode("sendMessage", kind), expected);
});

test("times are in UTC, whatever their notation; what is no time is left out", () => {
  const times = {
    "2026-01-01T00:00:00Z": "2026-01-01T00:00:00.000Z",
    "2026-01-01T02:00:00.123456+02:00": "2026-01-01T00:00:00.123Z",
    "2026-01-01T00:00:00.5": "2026-01-01T00:00:00.500Z",
    "2026-01-01 00:00:00": "2026-01-01T00:00:00.000Z",
    yesterday: undefined,
  };
  for (const [timestamp, expected] of Object.entries({ ...times })) {
    const time = expected === undefined ? {} : { timestamp: expected };
    const task = { id: "t1", status: { state: "TASK_STATE_WORKING", timestamp } };
    const read = { id: "t1", status: { state: "TASK_STATE_WORKING", ...time } };
    assert.deepEqual(newer.rest.decode("getTask", task), read);
    assert.deepEqual(newer.rest.decode("sendMessage", { task }), { task: read });
    assert.deepEqual(older.rest.decode("getTask", task), read);
    const kind = { id: "t1", status: { state: "working", timestamp } };
    assert.deepEqual(older.jsonrpc.decode("getTask", kind), read);
  }
  const numeric = { id: "t1", status: { state: "TASK_STATE_WORKING", timestamp: 1 } };
  assert.deepEqual(newer.rest.decode("getTask", numeric), {
    id: "t1",
    status: { state: "TASK_STATE_WORKING" },
  });
});

test("results of 0.3 without kind are told by their members", () => {
  const events = [
    { id: "t1", status: { state: "working" } },
    { messageId: "m", role: "agent", parts: [{ text: "hi" }] },
    { role: "agent", parts: [{ kind: "text", text: "hi" }] },
    { taskId: "t1", status: { state: "working" }, final: true },
    { taskId: "t1", artifact: { artifactId: "a", parts: [] } },
  ].map((result) => older.jsonrpc.decode("sendStreamingMessage", result));
  assert.deepEqual(
    events.map(({ response, isLast }) => [Object.keys(response)[0], isLast]),
    [
      ["task", false],
      ["message", false],
      ["message", false],
      ["statusUpdate", true],
      ["artifactUpdate", false],
    ],
  );
});

test("of a part of a kind that 0.3 does not know the text is kept", () => {
  const parts = [{ kind: "markdown", text: "*x*", style: 1 }, { file: { uri: "https://x/y" } }];
  const message = { kind: "message", messageId: "m", role: "agent", parts };
  assert.deepEqual(older.jsonrpc.decode("sendMessage", message), {
    message: {
      messageId: "m",
      role: "ROLE_AGENT",
      parts: [{ text: "*x*" }, { url: "https://x/y" }],
    },
  });
});

const status = { state: "completed" };
const message = { kind: "message", messageId: "m", role: "agent" };

for (const [place, result] of [
  ["result must be an object, not null", null],
  ["result must be an object, not a string", "done"],
  ["result.kind: must be a task, message, status-update or artifact-update", { ok: true }],
  ["result.id: is required", { kind: "task", status }],
  ["result.status: is required", { kind: "task", id: "t1" }],
  ["result.status: must be an object, not a string", { kind: "task", id: "t1", status: "done" }],
  ["result.parts: is required", message],
  ["result.parts: must be an array, not an object", { ...message, parts: {} }],
  [
    'result.parts[0].kind: must be one of text, file, data, not "form"',
    { ...message, parts: [{ kind: "form", fields: [] }] },
  ],
  ["result must be a task or a message", { kind: "status-update", taskId: "t1", status }],
] as const) {
  test(`0.3 on JSON-RPC: ${place}`, () => {
    const failure = failureOf(() => older.jsonrpc.decode("sendMessage", result));
    assert.equal(failure, `${UNREADABLE} ${place}`);
  });
}

for (const [place, body] of [
  ["body must have one of task, message", {}],
  ["body must have one of task, message", { statusUpdate: { taskId: "t1", status: {} } }],
  ["body.task: must be an object, not a string", { task: "done" }],
  ["body.task.id: is required", { task: { status: {} } }],
  ["body.task.status: is required", { task: { id: "t1" } }],
] as const) {
  for (const client of [newer, older])
    test(`${client.version} on HTTP+JSON: ${place}, for ${JSON.stringify(body)}`, () => {
      const failure = failureOf(() => client.rest.decode("sendMessage", body));
      assert.equal(failure, `${UNREADABLE} ${place}`);
    });
}

test("a message without parts, or a part without content, cannot be read", () => {
  const bare = { message: { messageId: "m", role: "ROLE_AGENT" } };
  const decoders = [newer.rest, older.rest];
  assert.deepEqual(
    decoders.map(({ decode }) => failureOf(() => decode("sendMessage", bare))),
    [
      `${UNREADABLE} body.message.parts: is required`,
      `${UNREADABLE} body.message.content: is required`,
    ],
  );
  const part = { video: {} };
  const artifacts = [{ artifactId: "a", parts: [{ text: "" }, part] }];
  const task = { id: "t1", status: { state: "TASK_STATE_WORKING" }, artifacts };
  assert.deepEqual(
    decoders.map(({ decode }) => failureOf(() => decode("sendMessage", { task }))),
    [
      `${UNREADABLE} body.task.artifacts[0].parts[1]: must have one of text, raw, url, data`,
      `${UNREADABLE} body.task.artifacts[0].parts[1]: must have one of text, file, data`,
    ],
  );
});

test("bytes that are no protobuf, or lack what must be there, cannot be read", () => {
  for (const { grpc } of [newer, older]) {
    const garbage = failureOf(() => grpc.decode("getTask", Uint8Array.of(255, 255)));
    assert.ok(garbage.startsWith(`${UNREADABLE} message: not the bytes of a Task`), garbage);
    const empty = failureOf(() => grpc.decode("sendMessage", new Uint8Array()));
    assert.equal(empty, `${UNREADABLE} message must have one of task, message`);
    const nameless = failureOf(() => grpc.decode("getTask", new Uint8Array()));
    assert.equal(nameless, `${UNREADABLE} message.id: is required`);
  }
});
