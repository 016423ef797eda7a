import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { A2AError, ERRORS, invalidParams, type ErrorReason } from "../../src/protocol/errors.ts";

/** Specification 5.4: JSON-RPC code, HTTP status, gRPC status. */
const SPECIFIED: readonly [ErrorReason, number, number, string][] = [
  ["TASK_NOT_FOUND", -32001, 404, "NOT_FOUND"],
  ["TASK_NOT_CANCELABLE", -32002, 400, "FAILED_PRECONDITION"],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400, "FAILED_PRECONDITION"],
  ["UNSUPPORTED_OPERATION", -32004, 400, "FAILED_PRECONDITION"],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, "INVALID_ARGUMENT"],
  ["INVALID_AGENT_RESPONSE", -32006, 500, "INTERNAL"],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 400, "FAILED_PRECONDITION"],
  ["EXTENSION_SUPPORT_REQUIRED", -32008, 400, "FAILED_PRECONDITION"],
  ["VERSION_NOT_SUPPORTED", -32009, 400, "FAILED_PRECONDITION"],
];

/** The numbers of gRPC's status names. */
const GRPC_CODES: Readonly<Record<string, number>> = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

for (const [reason, jsonrpc, http, status] of SPECIFIED)
  test(`${reason} has the codes of specification 5.4`, () => {
    assert.deepEqual(ERRORS[reason], { jsonrpc, http, grpc: GRPC_CODES[status], status });
  });

test("every gRPC name goes with its number", () => {
  for (const [reason, { grpc, status }] of Object.entries(ERRORS))
    assert.equal(grpc, GRPC_CODES[status], reason);
});

test("docs/errors.md lists every error as it is", () => {
  const rows = Object.entries(ERRORS).map(
    ([reason, { jsonrpc, http, grpc, status }]) =>
      `${reason} | ${jsonrpc} | ${http} | ${status} (${grpc})`,
  );
  assert.deepEqual(documentedRows(), rows);
});

test("an error of another copy of the class is recognised by its brand", () => {
  const stranger = Object.assign(new Error("no task 1"), {
    [Symbol.for("a2a-gateway.error")]: true,
    reason: "TASK_NOT_FOUND",
  });
  const error = A2AError.from(stranger);
  assert.deepEqual([error.reason, error.message], ["TASK_NOT_FOUND", "no task 1"]);
});

test("anything else becomes an internal error that hides its cause", () => {
  const cause = new Error("SQLITE_FULL: /var/lib/tasks.db");
  const error = A2AError.from(cause);
  assert.equal(error.reason, "INTERNAL_ERROR");
  assert.equal(error.message, "internal error");
  assert.equal(error.cause, cause);
});

test("what is thrown may be no error at all", () => {
  for (const thrown of [undefined, null, "text", 42])
    assert.equal(A2AError.from(thrown).reason, "INTERNAL_ERROR");
});

test("a stranger's error is made one of ours, whatever it lacks", () => {
  const brand = Symbol.for("a2a-gateway.error");
  const bare = A2AError.from({ [brand]: true, reason: "TASK_NOT_FOUND" });
  assert.ok(bare instanceof A2AError);
  assert.equal(bare.message, "task not found");
  assert.deepEqual([bare.violations, bare.metadata, bare.retryAfter], [[], {}, undefined]);
  const odd = A2AError.from({
    [brand]: true,
    reason: "INVALID_PARAMS",
    message: 7,
    violations: [{ field: "a", description: "b" }, "x", null],
    metadata: { a: 1 },
    retryAfter: "soon",
  });
  assert.deepEqual(odd.violations, [{ field: "a", description: "b" }]);
  assert.deepEqual([odd.message, odd.metadata, odd.retryAfter], ["invalid params", {}, undefined]);
});

test("invalid parameters name the first wrong field and count the others", () => {
  const wrong = (field: string) => ({ field, description: "is required" });
  assert.equal(invalidParams([wrong("message.role")]).message, "message.role: is required");
  const error = invalidParams([wrong("message.role"), wrong("message.parts")]);
  assert.equal(error.message, "message.role: is required (and 1 more)");
  assert.equal(error.violations.length, 2);
});

/** The first four columns of the table's rows. */
function documentedRows(): string[] {
  const rows = readFileSync("docs/errors.md", "utf8").match(/^\| [A-Z_]+ \|.*$/gm) ?? [];
  return rows.map((row) => row.split(" | ").slice(0, 4).join(" | ").replace(/^\| /, ""));
}
