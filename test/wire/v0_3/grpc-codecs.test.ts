import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamResponse, Task } from "../../../src/protocol/model.ts";
import { readyMade, type Fragment, type ReadyMade } from "../../../src/protocol/ready-made.ts";
import { grpcCodecs } from "../../../src/wire/v0_3/grpc-codecs.ts";
import { messages } from "../../../src/wire/v0_3/messages.ts";
import { eventOf, sendOf } from "../../../src/wire/v0_3/proto-events.ts";
import { protoMessageOf } from "../../../src/wire/v0_3/proto-message.ts";
import { taskOf } from "../../../src/wire/v0_3/proto-task.ts";
import { sendMessageRequest, task as anyTask } from "../arbitraries.ts";
import { refusal, violationsOf } from "../support.ts";
import { readable, readableMessage } from "./proto-losses.ts";
import { olderFormsOf } from "../../../src/wire/v0_3/older-forms.ts";

const grpc = grpcCodecs(true);
const { SendMessageRequest } = messages;
const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "hi" }] } as const;

/** The task in fragments as the store cuts it: absent members are empty fragments. */
function cut({ metadata, history, artifacts, ...head }: Task): ReadyMade<Task> {
  return readyMade<Task>([head, { metadata }, { history }, { artifacts }].map(fragmentOf));
}

function fragmentOf(members: object): Fragment {
  return { members: JSON.stringify(members).slice(1, -1) };
}

test("a message is decoded with all that 0.3 can say", () => {
  fc.assert(
    fc.property(sendMessageRequest, ({ message: given, metadata }) => {
      const request = { message: protoMessageOf(given), ...(metadata && { metadata }) };
      const expected = { message: readableMessage(given), ...(metadata && { metadata }) };
      assert.deepEqual(grpc.sendMessage.decode(SendMessageRequest.toProto(request)), expected);
    }),
  );
});

test("a send that does not say blocking waits or not as it is set", () => {
  const request = SendMessageRequest.toProto({ message });
  assert.deepEqual(grpcCodecs(true).sendMessage.decode(request).configuration, undefined);
  assert.deepEqual(grpcCodecs(false).sendMessage.decode(request).configuration, {
    returnImmediately: true,
  });
  const blocking = SendMessageRequest.toProto({ message, configuration: { blocking: true } });
  assert.deepEqual(grpcCodecs(false).sendMessage.decode(blocking).configuration, {});
});

test("the configuration is decoded", () => {
  const pushNotification = {
    id: "c",
    url: "https://hook/x",
    token: "t",
    authentication: { schemes: ["Bearer", "Basic"], credentials: "secret" },
  };
  const bytes = SendMessageRequest.toProto({
    message,
    configuration: { acceptedOutputModes: ["a/b"], historyLength: 2, pushNotification },
  });
  assert.deepEqual(grpc.sendMessage.decode(bytes).configuration, {
    acceptedOutputModes: ["a/b"],
    historyLength: 2,
    taskPushNotificationConfig: {
      id: "c",
      url: "https://hook/x",
      token: "t",
      authentication: { scheme: "Bearer", credentials: "secret" },
    },
  });
});

test("credentials need a scheme, an empty authentication is none", () => {
  const decode = (authentication: object) =>
    grpc.sendMessage.decode(
      SendMessageRequest.toProto({
        message,
        configuration: { pushNotification: { url: "https://hook/x", authentication } },
      }),
    );
  assert.deepEqual(decode({}).configuration?.taskPushNotificationConfig, {
    id: "default",
    url: "https://hook/x",
  });
  assert.deepEqual(Object.keys(violationsOf(() => decode({ credentials: "x" }))), [
    "configuration.pushNotification.authentication.schemes",
  ]);
});

test("what is wrong with a message is told with the names of 0.3", () => {
  const request = { message: { messageId: "", role: "ROLE_UNSPECIFIED", content: [{}] } } as const;
  assert.deepEqual(
    violationsOf(() => grpc.sendMessage.decode(SendMessageRequest.toProto(request))),
    {
      "message.messageId": "is required",
      "message.role": "is required",
      "message.content[0]": "must have one of text, file, data",
    },
  );
  assert.deepEqual(
    violationsOf(() => grpc.sendMessage.decode(new Uint8Array())),
    { message: "is required" },
  );
});

test("bytes that are no protobuf are refused", () => {
  assert.match(
    refusal(() => grpc.sendMessage.decode(Buffer.from([0x0a, 9]))).message,
    /not the bytes of a SendMessageRequest/,
  );
});

test("a task is asked for by its name; a history length of zero is none", () => {
  const { GetTaskRequest } = messages;
  const decode = (historyLength: number) =>
    grpc.getTask.decode(GetTaskRequest.toProto({ name: "tasks/t", historyLength }));
  assert.deepEqual(decode(0), { id: "t" });
  assert.deepEqual(decode(3), { id: "t", historyLength: 3 });
  assert.deepEqual(decode(-1), { id: "t", historyLength: -1 });
});

test("a push config is named with its task, whatever its id, and None is no name", () => {
  const { GetTaskPushNotificationConfigRequest } = messages;
  const decode = (id: string) => {
    const name = `tasks/t/pushNotificationConfigs/${id}`;
    return grpc.getTaskPushNotificationConfig.decode(
      GetTaskPushNotificationConfigRequest.toProto({ name }),
    );
  };
  assert.deepEqual(decode("c"), { taskId: "t", id: "c" });
  assert.deepEqual(decode("a/b"), { taskId: "t", id: "a/b" });
  assert.deepEqual(decode("None"), { taskId: "t", id: "" });
});

test("names that are not of the form are refused", () => {
  const names = ["foo", "tasks", "tasks/", "/tasks/t", "tasks/t/", "tasks/t/x", "Tasks/t"];
  for (const name of names) {
    const bytes = messages.GetTaskRequest.toProto({ name });
    for (const operation of ["getTask", "cancelTask", "subscribeToTask"] as const)
      assert.deepEqual(
        violationsOf(() => grpc[operation].decode(bytes)),
        { name: `must be tasks/{id}, not ${JSON.stringify(name)}` },
      );
    for (const operation of [
      "getTaskPushNotificationConfig",
      "deleteTaskPushNotificationConfig",
    ] as const)
      assert.deepEqual(Object.keys(violationsOf(() => grpc[operation].decode(bytes))), ["name"]);
  }
  assert.deepEqual(
    violationsOf(() => grpc.getTask.decode(new Uint8Array())),
    { name: "is required" },
  );
  assert.deepEqual(
    Object.keys(
      violationsOf(() =>
        grpc.listTaskPushNotificationConfigs.decode(
          messages.ListTaskPushNotificationConfigRequest.toProto({ parent: "t" }),
        ),
      ),
    ),
    ["parent"],
  );
});

test("a ready-made task is the same protobuf as the task, wherever it stands", () => {
  fc.assert(
    fc.property(anyTask, (value) => {
      const ready = cut(value);
      const expected = readable(value);
      for (const task of [value, ready, ready]) {
        const single = messages.Task.fromProto(bytesOf(grpc.getTask.encode(task)));
        assert.deepEqual(taskOf(single), expected);
        const sent = bytesOf(grpc.sendMessage.encode({ task }));
        const answer = messages.SendMessageResponse.fromProto(sent);
        assert.deepEqual(sendOf(answer), { task: expected });
        const item = bytesOf(grpc.sendStreamingMessage.encode({ response: { task } }));
        assert.deepEqual(eventOf(messages.StreamResponse.fromProto(item)), { task: expected });
      }
    }),
    { numRuns: 50 },
  );
});

test("the protobuf of a task and of its fragments is made once, beside that of 1.0", () => {
  const task = cut({ id: "t", status: { state: "TASK_STATE_CANCELED" } });
  assert.equal(grpc.getTask.encode(task), grpc.cancelTask.encode(task));
  const fragment = fragmentOf({ id: "t", status: { state: "TASK_STATE_CANCELED" } });
  grpc.getTask.encode(readyMade<Task>([fragment]));
  assert.equal(fragment.bytes, undefined);
  assert.equal(grpc.getTask.encode(readyMade<Task>([fragment])), olderFormsOf(fragment).bytes);
});

test("an event that is ready-made is final in the streams that end with it", () => {
  const isFinal = (state: string, codec: "sendStreamingMessage" | "subscribeToTask") => {
    const update = { statusUpdate: { taskId: "t", contextId: "c", status: { state } } };
    const response = readyMade<StreamResponse>([fragmentOf(update)]);
    const encodes = [0, 1].map(() => bytesOf(grpc[codec].encode({ response, generation: 2 })));
    const [first, second] = encodes.map((bytes) => messages.StreamResponse.fromProto(bytes));
    assert.deepEqual(first, second);
    assert.ok(first && "statusUpdate" in first);
    return first.statusUpdate.final === true;
  };
  assert.equal(isFinal("TASK_STATE_COMPLETED", "sendStreamingMessage"), true);
  assert.equal(isFinal("TASK_STATE_COMPLETED", "subscribeToTask"), true);
  assert.equal(isFinal("TASK_STATE_INPUT_REQUIRED", "sendStreamingMessage"), true);
  assert.equal(isFinal("TASK_STATE_INPUT_REQUIRED", "subscribeToTask"), false);
  assert.equal(isFinal("TASK_STATE_AUTH_REQUIRED", "sendStreamingMessage"), false);
  assert.equal(isFinal("TASK_STATE_WORKING", "sendStreamingMessage"), false);
});

test("one event is final in one stream and not in another at the same time", () => {
  const status = { state: "TASK_STATE_INPUT_REQUIRED" };
  const fragment = fragmentOf({ statusUpdate: { taskId: "t", contextId: "c", status } });
  const response = readyMade<StreamResponse>([fragment]);
  const finals = (["subscribeToTask", "sendStreamingMessage", "subscribeToTask"] as const).map(
    (stream) => {
      const item = messages.StreamResponse.fromProto(bytesOf(grpc[stream].encode({ response })));
      return "statusUpdate" in item ? item.statusUpdate.final : undefined;
    },
  );
  assert.deepEqual(finals, [undefined, true, undefined]);
});

function bytesOf(wire: unknown): Uint8Array {
  assert.ok(wire instanceof Uint8Array);
  return wire;
}
