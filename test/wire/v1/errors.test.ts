import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError, ERRORS, invalidParams, type ErrorReason } from "../../../src/protocol/errors.ts";
import { decodeStatus } from "../../../src/wire/status.ts";
import { v1 } from "../../../src/wire/v1/index.ts";

/** Spec 5.4. */
const PUBLISHED: readonly (readonly [ErrorReason, number, number, number, string])[] = [
  ["TASK_NOT_FOUND", -32001, 404, 5, "NOT_FOUND"],
  ["TASK_NOT_CANCELABLE", -32002, 400, 9, "FAILED_PRECONDITION"],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400, 9, "FAILED_PRECONDITION"],
  ["UNSUPPORTED_OPERATION", -32004, 400, 9, "FAILED_PRECONDITION"],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, 3, "INVALID_ARGUMENT"],
  ["INVALID_AGENT_RESPONSE", -32006, 500, 13, "INTERNAL"],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 400, 9, "FAILED_PRECONDITION"],
  ["EXTENSION_SUPPORT_REQUIRED", -32008, 400, 9, "FAILED_PRECONDITION"],
  ["VERSION_NOT_SUPPORTED", -32009, 400, 9, "FAILED_PRECONDITION"],
];

for (const [reason, code, http, grpc, status] of PUBLISHED)
  test(`${reason} is ${code}, ${http} and ${status}`, () => {
    const error = new A2AError(reason, "no task 42", { metadata: { taskId: "42" } });
    const info = {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: "a2a-protocol.org",
      metadata: { taskId: "42" },
    };
    const message = "no task 42";
    assert.deepEqual(v1.jsonrpc.failure(error), { code, message, data: [info] });
    assert.deepEqual(v1.rest.failure(error), {
      status: http,
      body: { error: { code: http, status, message, details: [info] } },
    });
    const failure = v1.grpc.failure(error);
    assert.deepEqual([failure.code, failure.message], [grpc, message]);
    assert.deepEqual(decodeStatus(failure.status ?? new Uint8Array()), {
      code: grpc,
      message,
      details: [info],
    });
  });

for (const reason of Object.keys(ERRORS) as ErrorReason[])
  test(`${reason} has the same reason, message and details on all bindings`, () => {
    const error = new A2AError(reason, "what and which");
    const { code, message, data = [] } = v1.jsonrpc.failure(error);
    assert.equal(code, ERRORS[reason].jsonrpc);
    assert.equal(message, "what and which");
    assert.deepEqual(
      data.map((detail) => (detail as { reason: string }).reason),
      [reason],
    );
    const { body, status } = v1.rest.failure(error);
    assert.equal(status, ERRORS[reason].http);
    assert.deepEqual((body as { error: { details: unknown } }).error.details, data);
    const failure = v1.grpc.failure(error);
    assert.equal(failure.code, ERRORS[reason].grpc);
    assert.deepEqual(decodeStatus(failure.status ?? new Uint8Array()).details, data);
  });

test("violations are told as a BadRequest", () => {
  const error = invalidParams([{ field: "message.parts[0].raw", description: "is not base64" }]);
  assert.deepEqual(v1.jsonrpc.failure(error), {
    code: -32602,
    message: "message.parts[0].raw: is not base64",
    data: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "INVALID_PARAMS",
        domain: "a2a-protocol.org",
      },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "message.parts[0].raw", description: "is not base64" }],
      },
    ],
  });
});

test("a time to wait is told as a RetryInfo", () => {
  const error = new A2AError("RATE_LIMITED", "too many calls", { retryAfter: 1.5 });
  const [, retry] = v1.jsonrpc.failure(error).data ?? [];
  assert.deepEqual(retry, {
    "@type": "type.googleapis.com/google.rpc.RetryInfo",
    retryDelay: "1.5s",
  });
});

test("the cause of an internal error is never shown", () => {
  const error = A2AError.from(new Error("SQLITE_BUSY: /var/lib/secret.db"));
  const { status = new Uint8Array(), ...grpc } = v1.grpc.failure(error);
  const shown = JSON.stringify([
    v1.jsonrpc.failure(error),
    v1.rest.failure(error),
    grpc,
    decodeStatus(status),
  ]);
  assert.equal(grpc.message, "internal error");
  assert.doesNotMatch(shown, /SQLITE|secret/);
});

test("a gRPC message can be percent-encoded and is bounded, whatever it holds", () => {
  for (const message of ["ünï\n\t€", "\ud800", `${"x".repeat(4095)}😀`, "😀".repeat(10_000)]) {
    const failure = v1.grpc.failure(new A2AError("UNAVAILABLE", message));
    assert.doesNotThrow(() => encodeURI(failure.message));
    assert.ok(failure.message.length <= 4100);
    assert.equal(decodeStatus(failure.status ?? new Uint8Array()).message, failure.message);
    if (message.length < 10) assert.equal(failure.message, message.replace("\ud800", "\ufffd"));
    else assert.doesNotMatch(failure.message, /\ufffd/);
  }
});
