/** Query parameters to the model (spec 11.5). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messages } from "../../src/wire/v1/messages.ts";
import { violationsOf } from "./support.ts";

const { ListTasksRequest, GetTaskRequest } = messages;

function list(query: string): object {
  return ListTasksRequest.decodeQuery(new URLSearchParams(query));
}

const UNDERSTOOD: Readonly<Record<string, object>> = {
  "": {},
  "includeArtifacts=false": { includeArtifacts: false },
  "includeArtifacts=true": { includeArtifacts: true },
  "historyLength=0&pageSize=5": { historyLength: 0, pageSize: 5 },
  "page_size=5&context_id=c": { pageSize: 5, contextId: "c" },
  "contextId=": {},
  "status=TASK_STATE_WORKING": { status: "TASK_STATE_WORKING" },
  "status=2": { status: "TASK_STATE_WORKING" },
  "status=": {},
  "unknown=1&unknown=2": {},
  "statusTimestampAfter=2026-01-01T00:00:00Z": { statusTimestampAfter: "2026-01-01T00:00:00.000Z" },
  "statusTimestampAfter=2026-01-01T00:00:00%2B02:00": {
    statusTimestampAfter: "2025-12-31T22:00:00.000Z",
  },
  "statusTimestampAfter=2026-01-01T00:00:00+02:00": {
    statusTimestampAfter: "2025-12-31T22:00:00.000Z",
  },
};

for (const [query, request] of Object.entries(UNDERSTOOD))
  test(`"${query}" is ${JSON.stringify(request)}`, () => {
    assert.deepEqual(list(query), request);
  });

const REFUSED: Readonly<Record<string, string>> = {
  "includeArtifacts=FALSE": "includeArtifacts",
  "includeArtifacts=1": "includeArtifacts",
  "include_artifacts=no": "includeArtifacts",
  "historyLength=abc": "historyLength",
  "historyLength=1e2": "historyLength",
  "pageSize=10&pageSize=20": "pageSize",
  "pageSize=10&page_size=10": "pageSize",
  "statusTimestampAfter=1700000000": "statusTimestampAfter",
  "statusTimestampAfter=yesterday": "statusTimestampAfter",
  "status=working": "status",
};

for (const [query, field] of Object.entries(REFUSED))
  test(`"${query}" is refused for ${field}`, () => {
    assert.deepEqual(Object.keys(violationsOf(() => list(query))), [field]);
  });

test("required fields are checked", () => {
  assert.deepEqual(
    violationsOf(() => GetTaskRequest.decodeQuery(new URLSearchParams("id="))),
    { id: "is required" },
  );
});
