/** ProtoJSON to the model, rule by rule. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messages } from "../../src/wire/v1/messages.ts";
import { nested, refusal, violationsOf } from "./support.ts";

const { SendMessageRequest, GetTaskRequest, ListTasksRequest, Task, AgentCard, Message } = messages;

function message(more: object = {}): object {
  return { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }], ...more };
}

function part(content: unknown): object {
  return message({ parts: [content] });
}

test("camelCase and snake_case names are both understood, camelCase comes out", () => {
  const request = { message: message(), configuration: { history_length: 2 } };
  assert.deepEqual(SendMessageRequest.decode(request).configuration, { historyLength: 2 });
  assert.equal(
    Message.decode({ ...message(), message_id: "ignored", context_id: "c" }).contextId,
    "c",
  );
});

test("a field in both spellings is what its camelCase says, unless that is null", () => {
  assert.equal(Message.decode(message({ contextId: "a", context_id: "b" })).contextId, "a");
  assert.equal(Message.decode(message({ contextId: null, context_id: "b" })).contextId, "b");
});

test("null members are the same as absent ones", () => {
  const nulls = { taskId: null, contextId: null, metadata: null, extensions: null };
  const request = {
    message: message({ ...nulls, referenceTaskIds: null }),
    configuration: null,
    metadata: null,
  };
  assert.deepEqual(SendMessageRequest.decode(request), { message: message() });
});

test("null inside a Struct or a Value is a value", () => {
  const metadata = { a: null, b: { c: null }, d: [1, null, "x"] };
  const decoded = Message.decode({ ...part({ data: [null] }), metadata });
  assert.deepEqual(decoded.metadata, metadata);
  assert.deepEqual(decoded.parts, [{ data: [null] }]);
});

test("values that stand for not set are left out where a field has no presence, kept where it has", () => {
  const request = {
    tenant: "",
    message: message({ contextId: "", extensions: [] }),
    configuration: { historyLength: 0, returnImmediately: false, acceptedOutputModes: [] },
    metadata: {},
  };
  assert.deepEqual(SendMessageRequest.decode(request), {
    message: message(),
    configuration: { historyLength: 0 },
    metadata: {},
  });
});

test("fields that are not known are ignored, whatever they hold", () => {
  const deep = nested(20_000, (inner) => [inner]);
  assert.deepEqual(GetTaskRequest.decode({ id: "t", future: deep, constructor: 1 }), { id: "t" });
});

test("an enum is taken by name, number or numeric text", () => {
  for (const status of ["TASK_STATE_WORKING", 2, "2"])
    assert.deepEqual(ListTasksRequest.decode({ status }), { status: "TASK_STATE_WORKING" });
});

test("an enum value that is not known is refused with the allowed ones, never ignored", () => {
  for (const status of [
    "working",
    "TASK_STATE_RUNNING",
    "task_state_working",
    9,
    -1,
    1.5,
    "",
    {},
  ]) {
    const { status: description } = violationsOf(() => ListTasksRequest.decode({ status }));
    assert.match(description ?? "", /^must be one of TASK_STATE_SUBMITTED, .*AUTH_REQUIRED, not /);
  }
});

test("an int32 is a number or its decimal digits, in range", () => {
  for (const historyLength of [5, "5", 5.0])
    assert.equal(GetTaskRequest.decode({ id: "t", historyLength }).historyLength, 5);
  for (const historyLength of [
    1.5,
    "1.5",
    "abc",
    "",
    true,
    [1],
    2 ** 31,
    "99999999999",
    -(2 ** 31) - 1,
  ])
    assert.deepEqual(
      Object.keys(violationsOf(() => GetTaskRequest.decode({ id: "t", historyLength }))),
      ["historyLength"],
    );
});

test("raw takes every kind of base64 and comes out as padded standard base64", () => {
  for (const raw of ["AP/+gAo=", "AP/+gAo", "AP_-gAo=", "AP_-gAo"])
    assert.deepEqual(Message.decode(part({ raw })).parts, [{ raw: "AP/+gAo=" }]);
  assert.deepEqual(
    violationsOf(() => Message.decode(part({ raw: "not base64!" }))),
    { "parts[0].raw": "is not base64" },
  );
});

test("a timestamp is normalised to UTC with milliseconds", () => {
  const status = { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T02:00:00.5+02:00" };
  assert.equal(Task.decode({ id: "t", status }).status.timestamp, "2026-01-01T00:00:00.500Z");
});

test("every violation is told with its path", () => {
  const request = {
    message: {
      messageId: "",
      role: "ROLE_UNSPECIFIED",
      parts: [{}, { text: 1 }, "x", { raw: "*" }],
    },
    configuration: { historyLength: "x", taskPushNotificationConfig: { token: 5 } },
    metadata: [],
  };
  assert.deepEqual(
    violationsOf(() => SendMessageRequest.decode(request)),
    {
      "message.parts[0]": "must have one of text, raw, url, data",
      "message.parts[1].text": "must be a string, not a number",
      "message.parts[2]": "must be an object, not a string",
      "message.parts[3].raw": "is not base64",
      "message.messageId": "must not be empty",
      "message.role": "must not be ROLE_UNSPECIFIED",
      "configuration.taskPushNotificationConfig.token": "must be a string, not a number",
      "configuration.taskPushNotificationConfig.url": "is required",
      "configuration.historyLength": 'must be a whole number, not "x"',
      metadata: "must be an object, not an array",
    },
  );
});

test("required fields must be there: texts and lists not empty", () => {
  assert.deepEqual(
    violationsOf(() => SendMessageRequest.decode({})),
    { message: "is required" },
  );
  assert.deepEqual(
    violationsOf(() => Message.decode({})),
    {
      messageId: "is required",
      role: "is required",
      parts: "is required",
    },
  );
  assert.deepEqual(
    violationsOf(() => Message.decode(message({ parts: [] }))),
    {
      parts: "must not be empty",
    },
  );
});

test("a part has exactly one content, of which data may be null", () => {
  assert.deepEqual(Message.decode(part({ data: null })).parts, [{ data: null }]);
  assert.deepEqual(Message.decode(part({ text: "" })).parts, [{ text: "" }]);
  assert.deepEqual(Message.decode(part({ text: "a", raw: null })).parts, [{ text: "a" }]);
  for (const [content, names] of [
    [{ text: "a", url: "b" }, "text, url"],
    [{ text: "a", data: null }, "text, data"],
  ] as const)
    assert.deepEqual(
      violationsOf(() => Message.decode(part(content))),
      {
        "parts[0]": `must have only one of ${names}`,
      },
    );
});

test("what is no object is refused as a whole", () => {
  for (const [value, kind] of [
    [[], "an array"],
    ["x", "a string"],
    [null, "null"],
    [1, "a number"],
  ] as const) {
    const error = refusal(() => GetTaskRequest.decode(value));
    assert.equal(error.message, `GetTaskRequest must be an object, not ${kind}`);
    assert.deepEqual(error.violations, []);
  }
});

test("lists and maps of the wrong type are violations, also inside", () => {
  assert.deepEqual(
    violationsOf(() => Message.decode(message({ extensions: "x", referenceTaskIds: [null, 1] }))),
    {
      extensions: "must be an array, not a string",
      "referenceTaskIds[0]": "must be a string, not null",
      "referenceTaskIds[1]": "must be a string, not a number",
    },
  );
  const card = { securitySchemes: { "my.key": { apiKeySecurityScheme: { name: "n" } } } };
  const violations = violationsOf(() => AgentCard.decode(card));
  assert.equal(
    violations['securitySchemes["my.key"].apiKeySecurityScheme.location'],
    "is required",
  );
});

test("no more than twenty violations are told, of a hundred thousand", () => {
  const parts = Array.from({ length: 100_000 }, () => ({ raw: "*" }));
  assert.equal(refusal(() => Message.decode(message({ parts }))).violations.length, 20);
});

test("a hundred thousand parts are decoded within two seconds", () => {
  const parts = Array.from({ length: 100_000 }, (_, index) => ({ text: `part ${index}` }));
  const start = process.cpuUsage();
  const decoded = Message.decode(message({ parts }));
  assert.ok(process.cpuUsage(start).user < 2_000_000);
  assert.equal(decoded.parts.length, 100_000);
});

test("descriptions quote little of what the caller sent", () => {
  const role = "x".repeat(1_000_000);
  const { role: description } = violationsOf(() => Message.decode(message({ role })));
  assert.ok((description ?? "").length < 200);
});

test("metadata and data may nest a hundred levels, not more", () => {
  for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
    const data = nested(100, wrap);
    assert.deepEqual(Message.decode(part({ data })).parts, [{ data }]);
    for (const depth of [101, 100_000])
      assert.deepEqual(
        violationsOf(() => Message.decode(part({ data: nested(depth, wrap) }))),
        {
          "parts[0].data": "is nested deeper than 100 levels",
        },
      );
  }
});

test("members named like the prototype's are data and pollute nothing", () => {
  const body: unknown = JSON.parse(
    `{"message":{"messageId":"m","role":1,"parts":[{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}],
      "metadata":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}`,
  );
  const decoded = SendMessageRequest.decode(body);
  assert.equal("polluted" in {}, false);
  assert.equal(Object.getPrototypeOf(decoded.message), Object.prototype);
  assert.equal(JSON.stringify(decoded.message.metadata), '{"__proto__":{"polluted":1}}');
});

test("the keys of maps are data too", () => {
  const schemes: unknown = JSON.parse('{"__proto__":{"list":["a"]},"constructor":{"list":["b"]}}');
  const requirement = { ...cardOf(), securityRequirements: [{ schemes }] };
  const [decoded] = AgentCard.decode(requirement).securityRequirements ?? [];
  assert.equal(JSON.stringify(decoded?.schemes), JSON.stringify(schemes));
});

test("lenient decoding fills in what is required, and takes enum values that are not known", () => {
  assert.deepEqual(Task.decode({ status: { state: "TASK_STATE_PAUSED" } }, "lenient"), {
    id: "",
    status: { state: "TASK_STATE_UNSPECIFIED" },
  });
  assert.deepEqual(messages.ListTasksResponse.decode({}, "lenient"), {
    tasks: [],
    nextPageToken: "",
    pageSize: 0,
    totalSize: 0,
  });
  assert.deepEqual(
    violationsOf(() => Task.decode({ id: 1 }, "lenient")),
    {
      id: "must be a string, not a number",
    },
  );
});

function cardOf(): object {
  const skill = { id: "s", name: "s", description: "d", tags: ["t"] };
  const face = { url: "http://a", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  return {
    name: "a",
    description: "d",
    version: "1",
    supportedInterfaces: [face],
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [skill],
  };
}

test("text with half a character is refused, since it would be another text in UTF-8", () => {
  const half = message({ messageId: "\ud800x" });
  assert.throws(
    () => SendMessageRequest.decode({ message: half }),
    /message\.messageId: must be text, but holds half a character/,
  );
});
