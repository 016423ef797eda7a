import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError, ERRORS, invalidParams, type ErrorReason } from "../../../src/protocol/errors.ts";
import { grpcFailure, restFailure, rpcFailure } from "../../../src/wire/v0_3/errors.ts";

const INTERFACE: readonly (readonly [ErrorReason, number, number, number, string, string])[] = [
  ["TASK_NOT_FOUND", -32001, 404, 5, "TaskNotFoundError", "Task not found: "],
  ["TASK_NOT_CANCELABLE", -32002, 409, 9, "TaskNotCancelableError", "Task cannot be canceled: "],
  [
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    -32003,
    400,
    12,
    "PushNotificationNotSupportedError",
    "Push Notification is not supported: ",
  ],
  [
    "UNSUPPORTED_OPERATION",
    -32004,
    400,
    12,
    "UnsupportedOperationError",
    "This operation is not supported: ",
  ],
  [
    "CONTENT_TYPE_NOT_SUPPORTED",
    -32005,
    415,
    3,
    "ContentTypeNotSupportedError",
    "Incompatible content types: ",
  ],
  [
    "INVALID_AGENT_RESPONSE",
    -32006,
    502,
    13,
    "InvalidAgentResponseError",
    "Invalid agent response type: ",
  ],
  [
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    -32007,
    404,
    9,
    "AuthenticatedExtendedCardNotConfiguredError",
    "Authenticated Extended Card not configured: ",
  ],
  [
    "EXTENSION_SUPPORT_REQUIRED",
    -32004,
    400,
    12,
    "UnsupportedOperationError",
    "This operation is not supported: ",
  ],
  [
    "VERSION_NOT_SUPPORTED",
    -32004,
    400,
    12,
    "UnsupportedOperationError",
    "This operation is not supported: ",
  ],
  ["METHOD_NOT_FOUND", -32601, 404, 12, "MethodNotFoundError", ""],
  ["INVALID_PARAMS", -32602, 400, 3, "InvalidParamsError", ""],
];

for (const [reason, code, http, grpc, name, words] of INTERFACE)
  test(`${reason} is ${name}: ${code}, ${http} and gRPC ${grpc}`, () => {
    const error = new A2AError(reason, "no task 42");
    const message = `${words}no task 42`;
    assert.deepEqual(rpcFailure(error), { code, message });
    assert.deepEqual(restFailure(error), {
      status: http,
      body: { code, message, type: name, error: `io.a2a.spec.${name}` },
    });
    assert.deepEqual(grpcFailure(error), { code: grpc, message: `${name}: ${message}` });
  });

test("an error that 0.3 has no name for has its code, status and message", () => {
  const error = new A2AError("RATE_LIMITED", "too many calls", { retryAfter: 1 });
  assert.deepEqual(restFailure(error), {
    status: 429,
    body: { code: -32012, message: "too many calls" },
  });
  assert.deepEqual(grpcFailure(error), { code: 8, message: "too many calls" });
});

test("no error has a code that 0.3 gives another meaning, or details", () => {
  for (const reason of Object.keys(ERRORS) as ErrorReason[]) {
    const { code, data } = rpcFailure(new A2AError(reason, "what"));
    assert.ok(code !== -32008 && code !== -32009, reason);
    assert.equal(data, undefined);
    assert.equal(grpcFailure(new A2AError(reason, "what")).status, undefined);
  }
});

test("an unsupported version lists the supported ones in its message", () => {
  const metadata = { supportedVersions: "1.0,0.3" };
  const error = new A2AError("VERSION_NOT_SUPPORTED", 'protocol version "9"', { metadata });
  assert.equal(
    rpcFailure(error).message,
    'This operation is not supported: protocol version "9" (supported: 1.0, 0.3)',
  );
});

test("a validation error names its field in the message", () => {
  const error = invalidParams([{ field: "message.parts[0].file", description: "is required" }]);
  assert.equal(rpcFailure(error).message, "message.parts[0].file: is required");
});

test("a field of a push config is named as the request of 0.3 has it", () => {
  const messagesOf = (field: string) => {
    const error = invalidParams([{ field, description: "is wrong" }]);
    return [rpcFailure(error).message, grpcFailure(error).message];
  };
  const sent = "configuration.taskPushNotificationConfig";
  for (const [field, kind, proto] of [
    ["url", "pushNotificationConfig.url", "config.pushNotificationConfig.url"],
    [
      "authentication.scheme",
      "pushNotificationConfig.authentication.schemes[0]",
      "config.pushNotificationConfig.authentication.schemes[0]",
    ],
    [sent, "configuration.pushNotificationConfig", "configuration.pushNotification"],
    [
      `${sent}.token`,
      "configuration.pushNotificationConfig.token",
      "configuration.pushNotification.token",
    ],
    ["message.contextId", "message.contextId", "message.contextId"],
  ] as const)
    assert.deepEqual(messagesOf(field), [
      `${kind}: is wrong`,
      `InvalidParamsError: ${proto}: is wrong`,
    ]);
});

test("of several wrong fields the first is named, the others are counted", () => {
  const error = invalidParams(
    ["url", "token"].map((field) => ({ field, description: "is wrong" })),
  );
  assert.equal(rpcFailure(error).message, "pushNotificationConfig.url: is wrong (and 1 more)");
});

test("the message of a gRPC status is short enough for a header, in whole characters", () => {
  const { message } = grpcFailure(new A2AError("INTERNAL_ERROR", "😀".repeat(5000)));
  assert.ok(message.length < 4200);
  assert.doesNotThrow(() => encodeURIComponent(message));
});
