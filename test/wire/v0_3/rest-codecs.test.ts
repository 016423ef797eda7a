import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Message, StreamResponse, Task } from "../../../src/protocol/model.ts";
import {
  readyMade,
  textOf,
  type Fragment,
  type ReadyMade,
} from "../../../src/protocol/ready-made.ts";
import type { OperationName } from "../../../src/protocol/service.ts";
import type { RestInput } from "../../../src/wire/dialect.ts";
import { messages } from "../../../src/wire/v0_3/messages.ts";
import { protoMessageOf } from "../../../src/wire/v0_3/proto-message.ts";
import { protoTaskOf, taskOf } from "../../../src/wire/v0_3/proto-task.ts";
import { restCodecs } from "../../../src/wire/v0_3/rest-codecs.ts";
import { routes } from "../../../src/wire/v0_3/routes.ts";
import { sendMessageRequest, task as anyTask } from "../arbitraries.ts";
import { refusal, violationsOf } from "../support.ts";
import { readable, readableMessage } from "./proto-losses.ts";

const message: Message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] };
const content = { messageId: "m1", role: "ROLE_USER", content: [{ text: "hi" }] };

/** The request that the route and codec of an operation make of an HTTP request. */
function requestOf(
  method: string,
  operation: Exclude<OperationName, "listTasks">,
  { params = {}, query = new URLSearchParams(), body }: Partial<RestInput>,
): unknown {
  const route = routes.find((r) => r.method === method && r.operation === operation);
  assert.ok(route);
  return restCodecs[operation].decode(route.wireOf({ params, query, body }));
}

function send(body: unknown): unknown {
  return requestOf("POST", "sendMessage", { body });
}

function getTask(query: string): unknown {
  return requestOf("GET", "getTask", { params: { id: "t" }, query: new URLSearchParams(query) });
}

/** The task in fragments as the store cuts it: absent members are empty fragments. */
function cut({ metadata, history, artifacts, ...head }: Task): ReadyMade<Task> {
  return readyMade<Task>([head, { metadata }, { history }, { artifacts }].map(fragmentOf));
}

function fragmentOf(members: object): Fragment {
  return { members: JSON.stringify(members).slice(1, -1) };
}

function parsed(wire: unknown): unknown {
  return JSON.parse(textOf(wire));
}

test("a message is understood under both its names, in camelCase and snake_case", () => {
  const snake = { message_id: "m1", role: "ROLE_USER", content: [{ text: "hi" }] };
  for (const body of [
    { message: content },
    { request: content },
    { message: snake },
    { request: snake },
    { message: null, request: snake },
  ])
    assert.deepEqual(send(body), { message });
});

test("a body in the form of JSON-RPC is understood", () => {
  const kind = {
    kind: "message",
    messageId: "m1",
    role: "user",
    parts: [{ kind: "text", text: "hi" }],
  };
  const { kind: _, ...kindless } = kind;
  for (const body of [{ message: kind }, { request: kind }, { message: kindless }])
    assert.deepEqual(send(body), { message });
  assert.deepEqual(send({ message: kindless, configuration: { blocking: false } }), {
    message,
    configuration: { returnImmediately: true },
  });
});

test("a body in the form of 1.0 is refused, and told why", () => {
  for (const body of [{ message }, { message: { ...message, role: undefined } }])
    assert.match(refusal(() => send(body)).message, /form of A2A 1\.0 .* path is one of A2A 0\.3/);
});

test("a message is decoded with all that 0.3 can say", () => {
  fc.assert(
    fc.property(sendMessageRequest, ({ message: given, metadata }) => {
      const body = { message: protoMessageOf(given), ...(metadata && { metadata }) };
      const expected = { message: readableMessage(given), ...(metadata && { metadata }) };
      assert.deepEqual(send(JSON.parse(JSON.stringify(body))), expected);
    }),
  );
});

test("bytes are the same in every spelling of base64", () => {
  for (const text of ["AP/+gAo=", "AP/+gAo", "AP_-gAo=", "AP_-gAo"])
    for (const file of [
      { fileWithBytes: text, mimeType: "a/b" },
      { file_with_bytes: text, mime_type: "a/b" },
    ])
      assert.deepEqual(send({ message: { ...content, content: [{ file }] } }), {
        message: { ...message, parts: [{ raw: "AP/+gAo=", mediaType: "a/b" }] },
      });
});

test("null inside metadata and data is kept", () => {
  const metadata = { a: null, b: [null, { c: null }] };
  const body = { message: { ...content, metadata, content: [{ data: { data: metadata } }] } };
  assert.deepEqual(send(body), { message: { ...message, metadata, parts: [{ data: metadata }] } });
});

test("data that is no object is understood", () => {
  for (const data of [[{ a: 1 }], "x", 0, false]) {
    const part = { data: { data } };
    assert.deepEqual(
      send({ message: { ...content, content: [part, { ...part, metadata: { k: 1 } }] } }),
      {
        message: { ...message, parts: [{ data }, { data, metadata: { k: 1 } }] },
      },
    );
  }
});

test("what is wrong with a message is told with the names of 0.3", () => {
  const wrong = [
    {},
    { file: {} },
    { file: { fileWithBytes: "?" } },
    { data: { data: [] }, metadata: 1 },
    { text: "x", data: { data: {} } },
  ];
  assert.deepEqual(
    violationsOf(() => send({ message: { role: "ROLE_USER", content: wrong } })),
    {
      "message.messageId": "is required",
      "message.content[0]": "must have one of text, file, data",
      "message.content[1].file": "must have one of fileWithUri, fileWithBytes",
      "message.content[2].file.fileWithBytes": "is not base64",
      "message.content[3].data.data": "must be an object, not an array",
      "message.content[3].metadata": "must be an object, not a number",
      "message.content[4]": "must have only one of text, data",
    },
  );
  assert.deepEqual(
    violationsOf(() => send({ message: { ...content, content: [] } })),
    { "message.content": "must not be empty" },
  );
  for (const body of [undefined, null, {}, { message: null }])
    assert.deepEqual(
      violationsOf(() => send(body)),
      { message: "is required" },
    );
  for (const body of [[], "x", 1])
    assert.equal(refusal(() => send(body)).message, "the body is not a JSON object");
});

test("a send waits unless it says that it does not", () => {
  const configurationOf = (configuration: object) => send({ message: content, configuration });
  assert.deepEqual(send({ message: content }), { message });
  for (const waits of [{}, { blocking: true }, { blocking: null }])
    assert.deepEqual(configurationOf(waits), { message, configuration: {} });
  assert.deepEqual(configurationOf({ blocking: false }), {
    message,
    configuration: { returnImmediately: true },
  });
  assert.deepEqual(
    violationsOf(() => configurationOf({ blocking: "false" })),
    { "configuration.blocking": 'must be true or false, not "false"' },
  );
});

test("a history length of zero asks for none, in body and query and both spellings", () => {
  for (const zero of [{ historyLength: 0 }, { history_length: 0 }, { historyLength: "0" }])
    assert.deepEqual(send({ message: content, configuration: zero }), {
      message,
      configuration: { historyLength: 0 },
    });
  for (const query of ["historyLength=0", "history_length=0"])
    assert.deepEqual(getTask(query), { id: "t", historyLength: 0 });
  for (const query of ["historyLength=2&x=y", "history_length=2"])
    assert.deepEqual(getTask(query), { id: "t", historyLength: 2 });
  for (const query of ["", "historyLength=", "name=tasks/other"])
    assert.deepEqual(getTask(query), { id: "t" });
  assert.deepEqual(Object.keys(violationsOf(() => getTask("historyLength=two"))), [
    "historyLength",
  ]);
});

test("a cancel and a subscription may name the task of the path once more, but no other", () => {
  const params = { id: "t" };
  for (const operation of ["cancelTask", "subscribeToTask"] as const) {
    for (const body of [undefined, null, {}, { name: "tasks/t" }, { name: "" }])
      assert.deepEqual(requestOf("POST", operation, { params, body }), { id: "t" });
    for (const name of ["tasks/u", "t", 5])
      assert.deepEqual(
        violationsOf(() => requestOf("POST", operation, { params, body: { name } })),
        { name: "differs between the path and the body" },
      );
  }
  assert.deepEqual(requestOf("GET", "subscribeToTask", { params }), { id: "t" });
});

test("a push config is found by both ids of the path", () => {
  const params = { id: "t", configId: "c" };
  for (const [method, operation] of [
    ["GET", "getTaskPushNotificationConfig"],
    ["DELETE", "deleteTaskPushNotificationConfig"],
  ] as const)
    assert.deepEqual(requestOf(method, operation, { params }), { taskId: "t", id: "c" });
});

test("a push config is asked for as None by clients that name none, and deleted under its name", () => {
  const params = { id: "t", configId: "None" };
  const asked = requestOf("GET", "getTaskPushNotificationConfig", { params });
  assert.deepEqual(asked, { taskId: "t", id: "" });
  const deleted = requestOf("DELETE", "deleteTaskPushNotificationConfig", { params });
  assert.deepEqual(deleted, { taskId: "t", id: "None" });
});

test("the push configs of a task come in pages", () => {
  const list = (query: string) =>
    requestOf("GET", "listTaskPushNotificationConfigs", {
      params: { id: "t" },
      query: new URLSearchParams(query),
    });
  assert.deepEqual(list(""), { taskId: "t" });
  assert.deepEqual(list("pageSize=2&page_token=x"), { taskId: "t", pageSize: 2, pageToken: "x" });
});

test("a ready-made task reads as the task, wherever it stands", () => {
  fc.assert(
    fc.property(anyTask, (value) => {
      const ready = cut(value);
      for (const task of [value, ready, ready]) {
        const wire = parsed(restCodecs.getTask.encode(task));
        assert.deepEqual(wire, JSON.parse(JSON.stringify(protoTaskOf(value))));
        assert.deepEqual(taskOf(messages.Task.decode(wire)), readable(value));
        assert.deepEqual(parsed(restCodecs.sendMessage.encode({ task })), { task: wire });
        const item = restCodecs.subscribeToTask.encode({ response: { task } });
        assert.deepEqual(parsed(item), { task: wire });
      }
    }),
    { numRuns: 50 },
  );
});

test("an answer without a task is a message", () => {
  assert.deepEqual(parsed(restCodecs.sendMessage.encode({ message })), { message: content });
  assert.deepEqual(parsed(restCodecs.sendStreamingMessage.encode({ response: { message } })), {
    message: content,
  });
});

test("a ready-made event is final in the streams that end with it", () => {
  const status = { state: "TASK_STATE_INPUT_REQUIRED" };
  const update = { taskId: "t", contextId: "c", status };
  const response = readyMade<StreamResponse>([fragmentOf({ statusUpdate: update })]);
  for (const [stream, final] of [
    ["subscribeToTask", false],
    ["sendStreamingMessage", true],
    ["subscribeToTask", false],
  ] as const)
    assert.deepEqual(parsed(restCodecs[stream].encode({ response, generation: 1 })), {
      statusUpdate: { ...update, final },
    });
});

test("an artifact event keeps append and lastChunk", () => {
  const artifact = { artifactId: "a", parts: [{ raw: "AA==", filename: "f" }] };
  const artifactUpdate = { taskId: "t", contextId: "c", artifact, append: true, lastChunk: true };
  const response = readyMade<StreamResponse>([fragmentOf({ artifactUpdate })]);
  assert.deepEqual(parsed(restCodecs.subscribeToTask.encode({ response })), {
    artifactUpdate: {
      ...artifactUpdate,
      artifact: { artifactId: "a", parts: [{ file: { fileWithBytes: "AA==", name: "f" } }] },
    },
  });
});

test("a deletion answers the empty object", () => {
  assert.equal(textOf(restCodecs.deleteTaskPushNotificationConfig.encode({})), "{}");
});
