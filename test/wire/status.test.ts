import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeStatus, encodeStatus, type Status } from "../../src/wire/status.ts";

test("a status is the same after protobuf, with details of all kinds", () => {
  const status: Status = {
    code: 3,
    message: "bad\nünï",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "TASK_NOT_FOUND",
        domain: "a2a-protocol.org",
        metadata: { taskId: "t" },
      },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "a", description: "b" }],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" },
    ],
  };
  assert.deepEqual(decodeStatus(encodeStatus(status)), status);
});

test("details of other types are left out", () => {
  // code 5, details [{ type_url "x" }]
  const bytes = Buffer.from([0x08, 5, 0x1a, 3, 0x0a, 1, 0x78]);
  assert.deepEqual(decodeStatus(bytes), { code: 5, message: "", details: [] });
});
