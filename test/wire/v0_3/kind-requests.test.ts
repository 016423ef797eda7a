import assert from "node:assert/strict";
import { test } from "node:test";
import { kindCodecs } from "../../../src/wire/v0_3/kind/codecs.ts";
import { decodeKindSend } from "../../../src/wire/v0_3/kind/decode-requests.ts";
import { refusal, violationsOf } from "../support.ts";

const message = {
  kind: "message",
  messageId: "m1",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

function partsOf(...parts: unknown[]): unknown {
  return decodeKindSend({ message: { ...message, parts } }).message.parts;
}

function faultsOf(part: unknown): Record<string, string> {
  return violationsOf(() => decodeKindSend({ message: { ...message, parts: [part] } }));
}

test("a message and its configuration become a request of the model", () => {
  const request = decodeKindSend({
    message: {
      ...message,
      contextId: "c1",
      taskId: "t1",
      metadata: { n: null },
      extensions: ["urn:x"],
      referenceTaskIds: ["t0"],
      later: true,
    },
    configuration: {
      acceptedOutputModes: ["text"],
      historyLength: 0,
      blocking: false,
      pushNotificationConfig: {
        id: "p1",
        url: "https://hook",
        token: "t",
        authentication: { schemes: ["Bearer", "Basic"], credentials: "c" },
      },
    },
    metadata: { trace: 1 },
  });
  assert.deepEqual(request, {
    message: {
      messageId: "m1",
      role: "ROLE_USER",
      parts: [{ text: "hi" }],
      contextId: "c1",
      taskId: "t1",
      metadata: { n: null },
      extensions: ["urn:x"],
      referenceTaskIds: ["t0"],
    },
    configuration: {
      acceptedOutputModes: ["text"],
      taskPushNotificationConfig: {
        url: "https://hook",
        id: "p1",
        token: "t",
        authentication: { scheme: "Bearer", credentials: "c" },
      },
      historyLength: 0,
      returnImmediately: true,
    },
    metadata: { trace: 1 },
  });
});

test("null and empty identifiers are the same as absent ones", () => {
  const nothing = { contextId: null, taskId: "", metadata: null, extensions: null };
  const request = decodeKindSend({
    message: { ...message, ...nothing, referenceTaskIds: [] },
    configuration: null,
    metadata: null,
  });
  assert.deepEqual(request, {
    message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] },
  });
});

for (const [said, waits] of [
  [undefined, true],
  [null, true],
  [true, true],
  [false, false],
] as const)
  test(`blocking ${String(said)} ${waits ? "waits" : "returns at once"}`, () => {
    const { configuration } = decodeKindSend({ message, configuration: { blocking: said } });
    assert.equal(configuration?.returnImmediately ?? false, !waits);
  });

test("a task and context beside the message count where the message names none", () => {
  const beside = { contextId: "c2", taskId: "t2" };
  const plain = decodeKindSend({ message, ...beside }).message;
  assert.deepEqual([plain.contextId, plain.taskId], ["c2", "t2"]);
  const naming = decodeKindSend({ message: { ...message, contextId: "c1" }, ...beside }).message;
  assert.deepEqual([naming.contextId, naming.taskId], ["c1", "t2"]);
});

test("a message is understood without a kind, a part is not", () => {
  const { kind: _, ...bare } = message;
  assert.equal(decodeKindSend({ message: bare }).message.messageId, "m1");
  for (const part of [{ text: "a" }, { type: "text", text: "a" }, { url: "u" }])
    assert.deepEqual(faultsOf(part), { "message.parts[0].kind": "is required" });
});

for (const [form, bytes] of [
  ["standard base64", "AP/+gAo="],
  ["URL-safe base64", "AP_-gAo="],
  ["unpadded base64", "AP/+gAo"],
] as const)
  test(`the bytes of a file arrive from ${form}`, () => {
    const file = { bytes, mimeType: "application/x", name: "f" };
    assert.deepEqual(partsOf({ kind: "file", file, metadata: { a: 1 } }), [
      { raw: "AP/+gAo=", mediaType: "application/x", filename: "f", metadata: { a: 1 } },
    ]);
  });

test("data is unwrapped where the mark says so, and only there", () => {
  const marked = { data_part_compat: true };
  assert.deepEqual(
    partsOf(
      { kind: "data", data: { value: [1] }, metadata: marked },
      { kind: "data", data: { value: null }, metadata: { ...marked, a: 1 } },
      { kind: "data", data: { value: 1 } },
      { kind: "data", data: { other: 1 }, metadata: marked },
      { kind: "data", data: [1, null] },
    ),
    [
      { data: [1] },
      { data: null, metadata: { a: 1 } },
      { data: { value: 1 } },
      { data: { other: 1 }, metadata: marked },
      { data: [1, null] },
    ],
  );
});

const WRONG_PARTS: readonly (readonly [string, unknown, string, string])[] = [
  ["text without text", { kind: "text" }, ".text", "is required"],
  ["text that is a number", { kind: "text", text: 1 }, ".text", "must be a string, not a number"],
  ["file without a file", { kind: "file" }, ".file", "is required"],
  ["empty file", { kind: "file", file: {} }, ".file", "must have bytes or uri"],
  [
    "file with bytes and uri",
    { kind: "file", file: { bytes: "", uri: "" } },
    ".file",
    "must have bytes or uri, not both",
  ],
  [
    "file that is no base64",
    { kind: "file", file: { bytes: "?" } },
    ".file.bytes",
    "is not base64",
  ],
  ["data without data", { kind: "data", data: null }, ".data", "is required"],
  ["kind nobody knows", { kind: "video" }, ".kind", 'must be one of text, file, data, not "video"'],
  [
    "kind that is no text",
    { kind: 1, text: "a" },
    ".kind",
    "must be one of text, file, data, not 1",
  ],
  ["text for a part", "hi", "", "must be an object, not a string"],
  [
    "metadata that is a list",
    { kind: "text", text: "a", metadata: [] },
    ".metadata",
    "must be an object, not an array",
  ],
];
for (const [what, part, path, description] of WRONG_PARTS)
  test(`refuses a part: ${what}`, () => {
    assert.deepEqual(faultsOf(part), { [`message.parts[0]${path}`]: description });
  });

test("names every field of a message that is wrong", () => {
  assert.deepEqual(
    violationsOf(() => decodeKindSend({ message: { kind: "task", role: "assistant" } })),
    {
      "message.kind": 'must be "message", not "task"',
      "message.messageId": "is required",
      "message.role": 'must be one of user, agent, not "assistant"',
      "message.parts": "is required",
    },
  );
  assert.deepEqual(
    violationsOf(() => decodeKindSend({ message: { ...message, messageId: "", parts: [] } })),
    { "message.messageId": "must not be empty", "message.parts": "must not be empty" },
  );
  assert.deepEqual(
    violationsOf(() => decodeKindSend(undefined)),
    { message: "is required" },
  );
});

test("refuses parameters that are no object, by that name", () => {
  assert.equal(refusal(() => decodeKindSend([])).message, "params must be an object, not an array");
});

test("credentials need a scheme, and no scheme at all is no authentication", () => {
  const set = (authentication: object) =>
    kindCodecs.createTaskPushNotificationConfig?.decode({
      taskId: "t1",
      pushNotificationConfig: { url: "https://hook", authentication },
    });
  assert.deepEqual(
    violationsOf(() => set({ schemes: [], credentials: "c" })),
    {
      "pushNotificationConfig.authentication.schemes": "must name the scheme of the credentials",
    },
  );
  assert.deepEqual(set({ schemes: [] }), { url: "https://hook", id: "default", taskId: "t1" });
});

test("each method reads its parameters", () => {
  const config = { url: "https://hook", id: "p1" };
  const model = { url: "https://hook", id: "p1", taskId: "t1" };
  const set = kindCodecs.createTaskPushNotificationConfig;
  assert.deepEqual(set?.decode({ taskId: "t1", pushNotificationConfig: config }), model);
  assert.deepEqual(set?.decode({ id: "t1", pushNotificationConfig: config }), model);
  const named = { id: "t1", pushNotificationConfigId: "p1" };
  const { getTask, cancelTask, subscribeToTask } = kindCodecs;
  assert.deepEqual(getTask?.decode({ id: "t1", historyLength: 0, metadata: {} }), {
    id: "t1",
    historyLength: 0,
  });
  assert.deepEqual(cancelTask?.decode({ id: "t1", metadata: { a: 1 } }), {
    id: "t1",
    metadata: { a: 1 },
  });
  assert.deepEqual(subscribeToTask?.decode({ id: "t1" }), { id: "t1" });
  const push = kindCodecs.getTaskPushNotificationConfig;
  assert.deepEqual(push?.decode(named), { taskId: "t1", id: "p1" });
  assert.deepEqual(push?.decode({ id: "t1" }), { taskId: "t1", id: "" });
  assert.deepEqual(kindCodecs.listTaskPushNotificationConfigs?.decode({ id: "t1" }), {
    taskId: "t1",
  });
  assert.deepEqual(kindCodecs.deleteTaskPushNotificationConfig?.decode(named), {
    taskId: "t1",
    id: "p1",
  });
  assert.deepEqual(kindCodecs.getExtendedAgentCard?.decode(undefined), {});
});

test("a config without an id is the default one, set or sent with a message", () => {
  const given = { id: "", url: "https://hook" };
  const config = { id: "default", url: "https://hook" };
  const set = kindCodecs.createTaskPushNotificationConfig;
  assert.deepEqual(set?.decode({ taskId: "t1", pushNotificationConfig: given }), {
    ...config,
    taskId: "t1",
  });
  const message = { messageId: "m1", role: "user", parts: [{ kind: "text", text: "hi" }] };
  const send = { message, configuration: { pushNotificationConfig: given } };
  assert.deepEqual(
    kindCodecs.sendMessage?.decode(send).configuration?.taskPushNotificationConfig,
    config,
  );
});

test("each method names what it lacks", () => {
  for (const name of ["getTask", "cancelTask", "subscribeToTask"] as const)
    assert.deepEqual(
      violationsOf(() => kindCodecs[name]?.decode({})),
      { id: "is required" },
    );
  assert.deepEqual(
    violationsOf(() => kindCodecs.deleteTaskPushNotificationConfig?.decode({})),
    {
      id: "is required",
      pushNotificationConfigId: "is required",
    },
  );
  assert.deepEqual(
    violationsOf(() => kindCodecs.createTaskPushNotificationConfig?.decode({})),
    {
      taskId: "is required",
      pushNotificationConfig: "is required",
    },
  );
});

test("0.3 has no ListTasks on JSON-RPC", () => {
  assert.equal(kindCodecs.listTasks, undefined);
});
