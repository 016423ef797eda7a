/** The model to the messages of the 0.3 protobuf and back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Message, Part, StreamResponse, Task } from "../../../src/protocol/model.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";
import { messages } from "../../../src/wire/v0_3/messages.ts";
import { eventOf, protoEventOf, protoSendOf, sendOf } from "../../../src/wire/v0_3/proto-events.ts";
import { messageOf, protoMessageOf } from "../../../src/wire/v0_3/proto-message.ts";
import { partOf, protoPartOf } from "../../../src/wire/v0_3/proto-parts.ts";
import { protoTaskOf, taskOf } from "../../../src/wire/v0_3/proto-task.ts";
import { jsonValue, task as anyTask } from "../arbitraries.ts";
import { readable } from "./proto-losses.ts";

const message: Message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }] };

test("a task comes back from 0.3 as it was, but for what 0.3 cannot say", () => {
  fc.assert(
    fc.property(anyTask, (task) => {
      const legacy = protoTaskOf(task);
      assert.deepEqual(taskOf(legacy), readable(task));
      assert.deepEqual(taskOf(messages.Task.decode(wireOf(legacy))), readable(task));
      const bytes = messages.Task.toProto(legacy);
      assert.deepEqual(taskOf(messages.Task.fromProto(bytes)), readable(task));
    }),
  );
});

test("a task of 0.3 comes back from the model as it was", () => {
  fc.assert(
    fc.property(anyTask, (task) => {
      const legacy = protoTaskOf(task);
      assert.deepEqual(protoTaskOf(taskOf(legacy)), legacy);
    }),
  );
});

test("each kind of part has its form in 0.3", () => {
  const metadata = { k: null };
  const forms: [Part, object][] = [
    [{ text: "" }, { text: "" }],
    [
      { text: "x", metadata },
      { text: "x", metadata },
    ],
    [
      { raw: "AP/+gAo=", filename: "f", mediaType: "a/b" },
      { file: { fileWithBytes: "AP/+gAo=", mimeType: "a/b", name: "f" } },
    ],
    [
      { url: "https://x/y", metadata },
      { file: { fileWithUri: "https://x/y" }, metadata },
    ],
    [{ data: { a: null, b: [null, {}] } }, { data: { data: { a: null, b: [null, {}] } } }],
    [{ data: {} }, { data: { data: {} } }],
  ];
  for (const [part, form] of forms) {
    assert.deepEqual(protoPartOf(part), form);
    assert.deepEqual(partOf(form), part);
  }
});

test("data that is no object is wrapped on the way to 0.3 and unwrapped on the way back", () => {
  fc.assert(
    fc.property(jsonValue, (data) => {
      assert.deepEqual(partOf(protoPartOf({ data })), { data });
    }),
  );
  assert.deepEqual(protoPartOf({ data: null, metadata: { k: 1 } }), {
    data: { data: { value: null } },
    metadata: { k: 1, data_part_compat: true },
  });
});

test("text and data lose file name and media type, messages the tasks they refer to", () => {
  assert.deepEqual(protoPartOf({ text: "x", filename: "f", mediaType: "a/b" }), { text: "x" });
  assert.deepEqual(protoPartOf({ data: {}, mediaType: "a/b" }), { data: { data: {} } });
  const referring = { ...message, referenceTaskIds: ["t"] };
  assert.deepEqual(messageOf(protoMessageOf(referring)), message);
});

test("only the spelling of CANCELED differs between the states", () => {
  for (const state of TASK_STATES) {
    const legacy = protoTaskOf({ id: "t", status: { state } });
    const spelling = state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state;
    assert.equal(legacy.status.state, spelling);
    assert.equal(taskOf(legacy).status.state, state);
  }
});

test("a state that nobody knows is read leniently as not said", () => {
  const bytes = Buffer.from([0x0a, 1, 0x74, 0x1a, 2, 0x08, 99]);
  const { status } = taskOf(messages.Task.fromProto(bytes, "lenient"));
  assert.equal(status.state, "TASK_STATE_UNSPECIFIED");
});

test("a message that is the whole answer is called message in JSON", () => {
  assert.deepEqual(wireOf(protoSendOf({ message })), {
    message: { messageId: "m", role: "ROLE_AGENT", content: [{ text: "hi" }] },
  });
  assert.deepEqual(sendOf(protoSendOf({ message })), { message });
  const task: Task = { id: "t", status: { state: "TASK_STATE_WORKING" } };
  assert.deepEqual(sendOf(protoSendOf({ task })), { task });
});

test("events come back as they were", () => {
  const status = { state: "TASK_STATE_WORKING", message } as const;
  const ids = { taskId: "t", contextId: "c" };
  const artifact = { artifactId: "a", name: "n", parts: [{ text: "x" }], extensions: ["e"] };
  const events: StreamResponse[] = [
    { task: { id: "t", status } },
    { message },
    { statusUpdate: { ...ids, status, metadata: { k: 1 } } },
    { artifactUpdate: { ...ids, artifact, append: true, lastChunk: true, metadata: {} } },
    { artifactUpdate: { ...ids, artifact } },
  ];
  for (const event of events) {
    const legacy = protoEventOf(event, "subscribeToTask");
    assert.deepEqual(eventOf(legacy), event);
    const bytes = messages.StreamResponse.toProto(legacy);
    assert.deepEqual(eventOf(messages.StreamResponse.fromProto(bytes)), event);
  }
});

test("the event that ends its stream is final, no other is", () => {
  const finals = (stream: "sendStreamingMessage" | "subscribeToTask") =>
    TASK_STATES.filter((state) => {
      const statusUpdate = { taskId: "t", contextId: "c", status: { state } };
      const event = protoEventOf({ statusUpdate }, stream);
      return "statusUpdate" in event && event.statusUpdate.final === true;
    });
  const terminal = [
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_REJECTED",
  ];
  assert.deepEqual(finals("subscribeToTask").sort(), terminal.sort());
  assert.deepEqual(
    finals("sendStreamingMessage").sort(),
    [...terminal, "TASK_STATE_INPUT_REQUIRED"].sort(),
  );
});

function wireOf(object: object): unknown {
  return JSON.parse(JSON.stringify(object));
}
