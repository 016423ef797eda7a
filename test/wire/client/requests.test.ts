/** Requests in the form that servers in the field read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientDialectOf, clientDialects } from "../../../src/wire/client-dialects.ts";
import { clients } from "./support.ts";

const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] } as const;
const push = { url: "https://x/y", authentication: { scheme: "Bearer", credentials: "c" } };

test("a version is found by its first two numbers, and no version is 0.3", () => {
  const found = ["1.0", "1.0.1", "0.3", "0.3.0", "", "2.0", "0.2.6", "one"].map(
    (text) => clientDialectOf(text)?.version,
  );
  const none = [undefined, undefined, undefined];
  assert.deepEqual(found, ["1.0", "1.0", "0.3", "0.3", "0.3", ...none]);
  assert.deepEqual(
    clientDialects.map(({ version }) => version),
    ["1.0", "0.3"],
  );
});

test("0.3 says on JSON-RPC and HTTP+JSON whether it waits", () => {
  const { jsonrpc, rest } = clients["0.3"];
  for (const [returnImmediately, blocking] of [
    [undefined, true],
    [false, true],
    [true, false],
  ] as const) {
    const configuration = returnImmediately === undefined ? {} : { returnImmediately };
    const params = text(jsonrpc.encode("sendMessage", { message, configuration }));
    assert.ok(params.includes(`"blocking":${blocking}`), params);
    const { body } = rest.requestOf("sendMessage", { message, configuration });
    assert.ok(body?.includes(`"blocking":${blocking}`), body);
  }
});

test("a message of 0.3 has kinds on JSON-RPC", () => {
  const configuration = { acceptedOutputModes: ["a/b"], taskPushNotificationConfig: push };
  const request = { message, configuration, metadata: { k: 1 }, tenant: "acme" };
  assert.deepEqual(JSON.parse(text(clients["0.3"].jsonrpc.encode("sendMessage", request))), {
    message: {
      kind: "message",
      messageId: "m1",
      role: "user",
      parts: [{ kind: "text", text: "hi" }],
    },
    configuration: {
      acceptedOutputModes: ["a/b"],
      blocking: true,
      pushNotificationConfig: {
        url: "https://x/y",
        authentication: { schemes: ["Bearer"], credentials: "c" },
      },
    },
    metadata: { k: 1 },
  });
});

test("a body of HTTP+JSON 0.3 has no members but those of its protobuf", () => {
  const configuration = { historyLength: 0, taskPushNotificationConfig: push };
  const request = { message, configuration, tenant: "acme" };
  const { method, path, body } = clients["0.3"].rest.requestOf("sendStreamingMessage", request);
  assert.deepEqual([method, path], ["POST", "/v1/message:stream"]);
  assert.deepEqual(JSON.parse(body ?? ""), {
    message: { messageId: "m1", role: "ROLE_USER", content: [{ text: "hi" }] },
    configuration: {
      blocking: true,
      pushNotification: {
        url: "https://x/y",
        authentication: { schemes: ["Bearer"], credentials: "c" },
      },
      historyLength: 0,
    },
  });
});

test("requests about one task have their paths", () => {
  const tenant = "a/b";
  const older = clients["0.3"].rest;
  const newer = clients["1.0"].rest;
  const task = { id: "t/1", tenant };
  const requests = [
    newer.requestOf("sendMessage", { message, tenant }),
    newer.requestOf("getTask", { ...task, historyLength: 2 }),
    newer.requestOf("cancelTask", { id: "t", metadata: { k: 1 } }),
    newer.requestOf("subscribeToTask", task),
    older.requestOf("getTask", { ...task, historyLength: 0 }),
    older.requestOf("cancelTask", task),
    older.requestOf("subscribeToTask", task),
  ];
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ["POST", "/a%2Fb/message:send", JSON.stringify({ message })],
      ["GET", "/a%2Fb/tasks/t%2F1?historyLength=2", undefined],
      ["POST", "/tasks/t:cancel", '{"metadata":{"k":1}}'],
      ["POST", "/a%2Fb/tasks/t%2F1:subscribe", undefined],
      ["GET", "/v1/tasks/t%2F1?historyLength=0", undefined],
      ["POST", "/v1/tasks/t%2F1:cancel", '{"name":"tasks/t/1"}'],
      ["GET", "/v1/tasks/t%2F1:subscribe", undefined],
    ],
  );
});

test("operations have the names of their version", () => {
  const newer = clients["1.0"];
  const older = clients["0.3"];
  assert.deepEqual(
    [
      newer.jsonrpc.methodOf("subscribeToTask"),
      newer.grpc.pathOf("subscribeToTask"),
      newer.extensionHeader,
      older.jsonrpc.methodOf("subscribeToTask"),
      older.grpc.pathOf("subscribeToTask"),
      older.extensionHeader,
    ],
    [
      "SubscribeToTask",
      "/lf.a2a.v1.A2AService/SubscribeToTask",
      "a2a-extensions",
      "tasks/resubscribe",
      "/a2a.v1.A2AService/TaskSubscription",
      "x-a2a-extensions",
    ],
  );
});

function text(params: unknown): string {
  return JSON.stringify(params);
}
