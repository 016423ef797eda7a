import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamResponse, Task } from "../../../src/protocol/model.ts";
import { fragmentsOf, readyMade, type ReadyMade } from "../../../src/protocol/ready-made.ts";
import { TASK_STATES, type TaskState } from "../../../src/protocol/states.ts";
import { kindCodecs } from "../../../src/wire/v0_3/kind/codecs.ts";
import { LEGACY_STATES } from "../../../src/wire/v0_3/states.ts";
import { sent } from "./kind-support.ts";
import { olderFormsOf } from "../../../src/wire/v0_3/older-forms.ts";

const timestamp = "2026-01-31T12:00:00.000Z";
const task: Task = {
  id: "t1",
  contextId: "c1",
  status: {
    state: "TASK_STATE_AUTH_REQUIRED",
    message: { messageId: "m2", role: "ROLE_AGENT", parts: [{ text: "log in", mediaType: "x/y" }] },
    timestamp,
  },
  metadata: { a: null },
  history: [
    {
      messageId: "m1",
      contextId: "c1",
      taskId: "t1",
      role: "ROLE_USER",
      parts: [
        { raw: "AP/+gAo=", filename: "f", mediaType: "x/y" },
        { url: "u" },
        { data: { a: 1 } },
      ],
      extensions: ["urn:x"],
      referenceTaskIds: ["t0"],
    },
  ],
  artifacts: [{ artifactId: "a1", name: "n", description: "d", parts: [{ data: [1, null] }] }],
};
const legacyTask = {
  kind: "task",
  id: "t1",
  contextId: "c1",
  status: {
    state: "auth-required",
    message: {
      kind: "message",
      messageId: "m2",
      role: "agent",
      parts: [{ kind: "text", text: "log in" }],
    },
    timestamp,
  },
  metadata: { a: null },
  history: [
    {
      kind: "message",
      messageId: "m1",
      contextId: "c1",
      taskId: "t1",
      role: "user",
      parts: [
        { kind: "file", file: { bytes: "AP/+gAo=", name: "f", mimeType: "x/y" } },
        { kind: "file", file: { uri: "u" } },
        { kind: "data", data: { a: 1 } },
      ],
      extensions: ["urn:x"],
      referenceTaskIds: ["t0"],
    },
  ],
  artifacts: [
    {
      artifactId: "a1",
      name: "n",
      description: "d",
      parts: [{ kind: "data", data: { value: [1, null] }, metadata: { data_part_compat: true } }],
    },
  ],
};

/** As the store holds it: in four fragments. */
function stored({ id, contextId, status, ...rest }: Task): ReadyMade<Task> {
  const runs = [
    { id, contextId, status },
    ...Object.entries(rest).map(([key, value]) => ({ [key]: value })),
  ];
  return readyMade([
    ...runs.map((run) => ({ members: JSON.stringify(run).slice(1, -1) })),
    { members: "" },
  ]);
}

function event(response: StreamResponse): ReadyMade<StreamResponse> {
  return readyMade([{ members: JSON.stringify(response).slice(1, -1) }]);
}

test("a task is flat, with its kind, from an object and from stored text alike", () => {
  for (const output of [task, stored(task)]) {
    assert.deepEqual(sent(kindCodecs.getTask?.encode(output)), legacyTask);
    assert.deepEqual(sent(kindCodecs.cancelTask?.encode(output)), legacyTask);
    assert.deepEqual(sent(kindCodecs.sendMessage?.encode({ task: output })), legacyTask);
  }
});

test("a stored task is converted once", () => {
  const output = stored(task);
  kindCodecs.getTask?.encode(output);
  const texts = fragmentsOf(output).map((fragment) => olderFormsOf(fragment).text);
  kindCodecs.getTask?.encode(output);
  assert.deepEqual(
    fragmentsOf(output).map((fragment) => olderFormsOf(fragment).text),
    texts,
  );
  assert.ok(texts[0]?.startsWith('"id":"t1","contextId":"c1","status":{"state":"auth-required"'));
});

test("a task without a context has an empty one, which 0.3 requires", () => {
  const { contextId: _, ...bare } = task;
  for (const output of [bare, stored(bare)]) {
    const { contextId } = sent(kindCodecs.getTask?.encode(output)) as { contextId?: string };
    assert.equal(contextId, "");
  }
});

test("a message is the result itself", () => {
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "a" }] } as const;
  const legacy = {
    kind: "message",
    messageId: "m",
    role: "agent",
    parts: [{ kind: "text", text: "a" }],
  };
  assert.deepEqual(sent(kindCodecs.sendMessage?.encode({ message })), legacy);
  for (const response of [{ message }, event({ message })])
    assert.deepEqual(sent(kindCodecs.sendStreamingMessage?.encode({ response })), legacy);
});

test("a stream begins with the task, stored or written down as its first event", () => {
  for (const response of [{ task }, { task: stored(task) }, event({ task })])
    assert.deepEqual(sent(kindCodecs.subscribeToTask?.encode({ response })), legacyTask);
});

test("an artifact update keeps its flags", () => {
  const update = { taskId: "t1", contextId: "c1", append: true, lastChunk: false, metadata: {} };
  const artifactUpdate = { ...update, artifact: { artifactId: "a", parts: [{ text: "x" }] } };
  for (const response of [{ artifactUpdate }, event({ artifactUpdate })])
    assert.deepEqual(sent(kindCodecs.sendStreamingMessage?.encode({ response })), {
      kind: "artifact-update",
      ...update,
      artifact: { artifactId: "a", parts: [{ kind: "text", text: "x" }] },
    });
});

const ENDS: ReadonlySet<TaskState> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);
for (const state of TASK_STATES)
  test(`${LEGACY_STATES[state]} is final where the stream ends with it`, () => {
    const status = { state, timestamp };
    const statusUpdate = { taskId: "t1", contextId: "c1", status, metadata: { final: 1 } };
    const legacy = {
      kind: "status-update",
      taskId: "t1",
      contextId: "c1",
      status: { state: LEGACY_STATES[state], timestamp },
      metadata: { final: 1 },
    };
    // One event may go to streams of both kinds.
    const { sendStreamingMessage, subscribeToTask } = kindCodecs;
    for (const response of [{ statusUpdate }, event({ statusUpdate })]) {
      const sentByMessage = sent(sendStreamingMessage?.encode({ response }));
      const final = ENDS.has(state) || state === "TASK_STATE_INPUT_REQUIRED";
      assert.deepEqual(sentByMessage, { ...legacy, final });
      const subscribed = sent(subscribeToTask?.encode({ response }));
      assert.deepEqual(subscribed, { ...legacy, final: ENDS.has(state) });
    }
  });

test("push configurations are nested under their task, a list of them is an array, deleting answers null", () => {
  const config = {
    taskId: "t1",
    id: "p1",
    url: "https://hook",
    token: "t",
    authentication: { scheme: "Bearer", credentials: "c" },
  };
  const legacy = {
    taskId: "t1",
    pushNotificationConfig: {
      id: "p1",
      url: "https://hook",
      token: "t",
      authentication: { schemes: ["Bearer"], credentials: "c" },
    },
  };
  assert.deepEqual(sent(kindCodecs.createTaskPushNotificationConfig?.encode(config)), legacy);
  assert.deepEqual(sent(kindCodecs.getTaskPushNotificationConfig?.encode(config)), legacy);
  assert.deepEqual(
    sent(kindCodecs.listTaskPushNotificationConfigs?.encode({ configs: [config] })),
    [legacy],
  );
  assert.equal(sent(kindCodecs.deleteTaskPushNotificationConfig?.encode({})), null);
});
