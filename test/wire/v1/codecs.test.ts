import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamResponse, Task } from "../../../src/protocol/model.ts";
import { readyMade, textOf, type ReadyMade } from "../../../src/protocol/ready-made.ts";
import { dialectsOf } from "../../../src/wire/index.ts";
import { grpcCodecs as grpc, jsonCodecs as json } from "../../../src/wire/v1/codecs.ts";
import { v1 } from "../../../src/wire/v1/index.ts";
import { messages } from "../../../src/wire/v1/messages.ts";
import { task as anyTask } from "../arbitraries.ts";
import { refusal } from "../support.ts";

const task: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-01-01T00:00:00.000Z" },
  history: [{ messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] }],
  artifacts: [{ artifactId: "a", parts: [{ data: null }] }],
};

/** The task in fragments as the store cuts it: absent members are empty fragments. */
function cut({ metadata, history, artifacts, ...head }: Task): ReadyMade<Task> {
  return readyMade<Task>([head, { metadata }, { history }, { artifacts }].map(fragmentOf));
}

function fragmentOf(members: object): { members: string } {
  return { members: JSON.stringify(members).slice(1, -1) };
}

function parsed(wire: unknown): unknown {
  return JSON.parse(textOf(wire));
}

test("the newest version comes first", () => {
  assert.equal(dialectsOf({ v03: { grpcBlockingDefault: true } })[0], v1);
});

test("absent and null params count as an empty object", () => {
  for (const params of [undefined, null, {}])
    assert.deepEqual(json.getExtendedAgentCard.decode(params), {});
});

test("params that are no object are refused", () => {
  for (const params of [[], "x", 1, true])
    assert.match(refusal(() => json.getTask.decode(params)).message, /must be an object/);
});

test("a ready-made task is spliced into every answer that holds one", () => {
  const ready = cut(task);
  assert.deepEqual(parsed(json.getTask.encode(ready)), task);
  assert.deepEqual(parsed(json.cancelTask.encode(ready)), task);
  assert.deepEqual(parsed(json.sendMessage.encode({ task: ready })), { task });
  assert.deepEqual(parsed(json.subscribeToTask.encode({ response: { task: ready } })), { task });
});

test("a ready-made task is the same protobuf as the task, wherever it stands", () => {
  fc.assert(
    fc.property(anyTask, (value) => {
      const ready = cut(value);
      for (const output of [value, ready, ready]) {
        const { Task: single, SendMessageResponse, StreamResponse: item } = messages;
        assert.deepEqual(single.fromProto(bytesOf(grpc.getTask.encode(output))), value);
        const sent = bytesOf(grpc.sendMessage.encode({ task: output }));
        assert.deepEqual(SendMessageResponse.fromProto(sent), { task: value });
        const event = grpc.sendStreamingMessage.encode({ response: { task: output } });
        assert.deepEqual(item.fromProto(bytesOf(event)), { task: value });
      }
      assert.deepEqual(parsed(json.getTask.encode(ready)), value);
    }),
    { numRuns: 50 },
  );
});

test("the protobuf of a fragment is made once", () => {
  const fragment: { members: string; bytes?: Uint8Array } = fragmentOf(task);
  const first = grpc.getTask.encode(readyMade<Task>([fragment, { members: "" }]));
  assert.equal(fragment.bytes, first);
  assert.equal(grpc.getTask.encode(readyMade<Task>([fragment])), first);
});

test("an event that is ready-made passes through", () => {
  const update = { statusUpdate: { taskId: "t", contextId: "c", status: task.status } };
  const response = readyMade<StreamResponse>([fragmentOf(update)]);
  assert.deepEqual(parsed(json.sendStreamingMessage.encode({ response })), update);
  const bytes = bytesOf(grpc.subscribeToTask.encode({ response, generation: 3 }));
  assert.deepEqual(messages.StreamResponse.fromProto(bytes), update);
});

test("messages and events that are objects pass through", () => {
  const message = task.history?.[0];
  assert.ok(message);
  assert.deepEqual(parsed(json.sendMessage.encode({ message })), { message });
  const bytes = bytesOf(grpc.sendMessage.encode({ message }));
  assert.deepEqual(messages.SendMessageResponse.fromProto(bytes), { message });
  const event = bytesOf(grpc.sendStreamingMessage.encode({ response: { message } }));
  assert.deepEqual(messages.StreamResponse.fromProto(event), { message });
});

test("an empty list still shows all four members", () => {
  const empty = { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 };
  assert.equal(
    textOf(json.listTasks.encode(empty)),
    '{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}',
  );
  const bytes = bytesOf(grpc.listTasks.encode(empty));
  assert.deepEqual(messages.ListTasksResponse.fromProto(bytes, "lenient"), empty);
});

test("a list holds ready-made tasks and objects in their order", () => {
  const other = { ...task, id: "u" };
  const page = { nextPageToken: "n", pageSize: 2, totalSize: 9 };
  const list = { tasks: [cut(task), other, cut(other)], ...page };
  const expected = { tasks: [task, other, other], ...page };
  assert.deepEqual(parsed(json.listTasks.encode(list)), expected);
  assert.deepEqual(
    messages.ListTasksResponse.fromProto(bytesOf(grpc.listTasks.encode(list))),
    expected,
  );
});

test("the deletion of a push config answers the empty object", () => {
  assert.equal(textOf(json.deleteTaskPushNotificationConfig.encode({})), "{}");
  assert.equal(bytesOf(grpc.deleteTaskPushNotificationConfig.encode({})).length, 0);
});

test("a push config is the same on both sides", () => {
  const config = { id: "c", taskId: "t", url: "https://hook/x" };
  const sent = messages.TaskPushNotificationConfig.toProto(config);
  assert.deepEqual(grpc.createTaskPushNotificationConfig.decode(sent), config);
  const list = { configs: [config], nextPageToken: "n" };
  const bytes = bytesOf(grpc.listTaskPushNotificationConfigs.encode(list));
  assert.deepEqual(messages.ListTaskPushNotificationConfigsResponse.fromProto(bytes), list);
});

function bytesOf(wire: unknown): Uint8Array {
  assert.ok(wire instanceof Uint8Array);
  return wire;
}
