/** Errors of agents, in the forms that are met in the field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError, type ErrorReason } from "../../../src/protocol/errors.ts";
import { clients, servers, told } from "./support.ts";

const { jsonrpc, rest, grpc } = clients["1.0"];

const SAME: readonly ErrorReason[] = [
  "TASK_NOT_FOUND",
  "TASK_NOT_CANCELABLE",
  "PUSH_NOTIFICATION_NOT_SUPPORTED",
  "UNSUPPORTED_OPERATION",
  "CONTENT_TYPE_NOT_SUPPORTED",
  "INVALID_AGENT_RESPONSE",
  "INVALID_PARAMS",
  "INVALID_REQUEST",
  "INTERNAL_ERROR",
];

for (const version of ["1.0", "0.3"] as const)
  test(`errors of ${version} come back with their reason on all bindings`, () => {
    const client = clients[version];
    const server = servers[version];
    for (const reason of SAME) {
      const error = new A2AError(reason, "no task 42");
      const { code, message, status: details } = server.grpc.failure(error);
      const { status, body } = server.rest.failure(error);
      const read = [
        client.jsonrpc.errorOf(server.jsonrpc.failure(error)),
        client.rest.errorOf(status, body),
        client.rest.errorIn(body, server.rest.failureEvent),
        client.grpc.errorOf(code, message, details),
      ];
      for (const each of read) {
        assert.equal(each?.reason, reason);
        assert.ok(each.message.endsWith("no task 42"), each.message);
      }
    }
  });

test("details of 1.0 come back: what was wrong, and when to try again", () => {
  const violations = [{ field: "message.parts", description: "is required" }];
  const wrong = new A2AError("INVALID_PARAMS", "wrong", { violations });
  assert.deepEqual(jsonrpc.errorOf(servers["1.0"].jsonrpc.failure(wrong)).violations, violations);
  const limited = new A2AError("RATE_LIMITED", "slow down", { retryAfter: 1.5 });
  const { code, message, status } = servers["1.0"].grpc.failure(limited);
  assert.equal(grpc.errorOf(code, message, status).retryAfter, 1.5);
  const { body } = servers["1.0"].rest.failure(limited);
  assert.deepEqual(told(rest.errorOf(429, body)), "RATE_LIMITED: slow down");
});

test("JSON-RPC errors are told by reason, code or words", () => {
  const ErrorInfo = { "@type": "type.googleapis.com/google.rpc.ErrorInfo" };
  const data = [{ ...ErrorInfo, reason: "TASK_NOT_CANCELABLE", domain: "a2a-protocol.org" }];
  const pydantic = [{ type: "missing", loc: ["params", "message"], msg: "Field required" }];
  for (const [error, expected] of [
    [{ code: -32001, message: "Task not found: x" }, "TASK_NOT_FOUND: Task not found: x"],
    [{ code: -32000, message: "done", data }, "TASK_NOT_CANCELABLE: done"],
    [
      { code: -32602, message: "Invalid parameters", data: pydantic },
      "INVALID_PARAMS: Invalid parameters",
    ],
    [{ code: -32000, message: "Task not found" }, "TASK_NOT_FOUND: Task not found"],
    [
      { code: -32601, message: "Method not found" },
      "UNSUPPORTED_OPERATION: the agent answered with error -32601: Method not found",
    ],
    [
      { code: -32700, message: "Parse error" },
      "INVALID_AGENT_RESPONSE: the agent answered with error -32700: Parse error",
    ],
    // This code is the gateway's own for callers without credentials: agents may mean anything by it.
    [
      { code: -32010, message: "quota" },
      "INVALID_AGENT_RESPONSE: the agent answered with error -32010: quota",
    ],
    [{ code: -32050 }, "INVALID_AGENT_RESPONSE: the agent answered with error -32050"],
    ["kaput", "INVALID_AGENT_RESPONSE: the agent answered with an error: kaput"],
    [null, "INVALID_AGENT_RESPONSE: the agent answered with an error"],
  ] as const)
    for (const client of Object.values(clients))
      assert.equal(told(client.jsonrpc.errorOf(error)), expected);
});

test("HTTP errors are told by the body, else by the status", () => {
  for (const [status, body, expected] of [
    [404, { code: -32001, message: "Task not found: x" }, "TASK_NOT_FOUND: Task not found: x"],
    [404, { message: "Task not found" }, "TASK_NOT_FOUND: Task not found"],
    [404, undefined, "TASK_NOT_FOUND: the agent answered with HTTP status 404"],
    [409, { message: "Task cannot be canceled" }, "TASK_NOT_CANCELABLE: Task cannot be canceled"],
    [422, { detail: [{ loc: ["body"], msg: "Field required" }] }, "INVALID_PARAMS: Field required"],
    [
      400,
      { error: "io.a2a.spec.TaskNotCancelableError", message: "no" },
      "TASK_NOT_CANCELABLE: no",
    ],
    [
      400,
      { type: "https://a2a-protocol.org/errors/task-not-found", title: "T" },
      "TASK_NOT_FOUND: T",
    ],
    [
      400,
      { error: { code: 400, status: "FAILED_PRECONDITION", message: "no" } },
      "UNSUPPORTED_OPERATION: no",
    ],
    [
      401,
      { error: { code: -32603, message: "token" } },
      "UNAVAILABLE: the agent refuses the gateway",
    ],
    [403, undefined, "UNAVAILABLE: the agent refuses the gateway"],
    [
      405,
      { detail: "Method Not Allowed" },
      "UNSUPPORTED_OPERATION: the agent answered with HTTP status 405: Method Not Allowed",
    ],
    [
      418,
      { error: "teapot" },
      "INVALID_AGENT_RESPONSE: the agent answered with HTTP status 418: teapot",
    ],
    [429, undefined, "RATE_LIMITED: the agent answered with HTTP status 429"],
    [500, { message: "unknown exception" }, "INTERNAL_ERROR: unknown exception"],
    [500, undefined, "UNAVAILABLE: the agent answered with HTTP status 500"],
    [502, { message: "<html><body>nginx" }, "UNAVAILABLE: the agent answered with HTTP status 502"],
    [503, { message: "busy" }, "UNAVAILABLE: busy"],
  ] as const)
    for (const client of Object.values(clients))
      assert.equal(told(client.rest.errorOf(status, body)), expected);
});

test("an event is an error by its name or by its members", () => {
  const error = { code: 404, status: "NOT_FOUND", message: "no task" };
  assert.equal(told(rest.errorIn({ error }, undefined)), "TASK_NOT_FOUND: no task");
  assert.equal(told(rest.errorIn(error, "error")), "TASK_NOT_FOUND: no task");
  const internal = { code: -32603, message: "Streaming error" };
  assert.equal(told(rest.errorIn(internal, undefined)), "INTERNAL_ERROR: Streaming error");
  const nothing = "INVALID_AGENT_RESPONSE: the agent answered with an error";
  assert.equal(told(rest.errorIn(undefined, "error")), nothing);
  const event = { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "error" }] } };
  assert.equal(rest.errorIn(event, undefined), undefined);
  assert.equal(rest.errorIn({ statusUpdate: {}, error: null }, "message"), undefined);
});

test("gRPC errors are told by name, words or code", () => {
  for (const [code, message, expected] of [
    [5, "TaskNotFoundError: Task not found", "TASK_NOT_FOUND: Task not found"],
    [12, "TaskNotCancelableError: no", "TASK_NOT_CANCELABLE: no"],
    [
      5,
      "MethodNotFoundError: x",
      "UNSUPPORTED_OPERATION: the agent answered with gRPC status NOT_FOUND: x",
    ],
    [12, "", "UNSUPPORTED_OPERATION: the agent answered with gRPC status UNIMPLEMENTED"],
    [9, "Task cannot be canceled", "TASK_NOT_CANCELABLE: Task cannot be canceled"],
    [7, "no", "UNAVAILABLE: the agent refuses the gateway"],
    [8, "quota", "RATE_LIMITED: quota"],
    [
      8,
      "Received message larger than max (9 vs. 4)",
      "TOO_LARGE: Received message larger than max (9 vs. 4)",
    ],
    [14, "busy", "UNAVAILABLE: busy"],
    [
      2,
      "ValueError: x",
      "INVALID_AGENT_RESPONSE: the agent answered with gRPC status UNKNOWN: ValueError: x",
    ],
  ] as const)
    for (const client of Object.values(clients))
      assert.equal(told(client.grpc.errorOf(code, message, Uint8Array.of(255))), expected);
});

test("a long message is cut between two characters", () => {
  const { message } = jsonrpc.errorOf({ code: -32001, message: "😀".repeat(1000) });
  assert.ok(message.length <= 500 && message.endsWith("😀…"), message);
});
