import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { lineOf } from "../../src/audit/line.ts";
import type { AuditEntry, CallEntry } from "../../src/core/ports/audit.ts";

const CALL: CallEntry = {
  kind: "call",
  requestId: "r-1",
  principal: { id: "alice", tenant: "acme", method: "apiKey" },
  address: "192.0.2.1",
  binding: "JSONRPC",
  version: "1.0",
  agent: "weather",
  operation: "getTask",
  task: "t-1",
  ms: 2,
  decision: "failed",
  reason: "TASK_NOT_FOUND",
};

const TIME = Date.UTC(2026, 0, 31, 12);

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line) as Record<string, unknown>;
}

test("a line says who did what, in the order in which one reads it", () => {
  assert.equal(
    lineOf(CALL, TIME),
    '{"time":"2026-01-31T12:00:00.000Z","audit":"call","request":"r-1","principal":"alice","tenant":"acme",' +
      '"method":"apiKey","address":"192.0.2.1","door":"JSONRPC","version":"1.0","agent":"weather",' +
      '"operation":"getTask","task":"t-1","ms":2,"decision":"failed","reason":"TASK_NOT_FOUND"}\n',
  );
});

test("what is somebody else's is denied, and says whose it is", () => {
  const fields = fieldsOf(lineOf(CALL, TIME, { agent: "tides", owner: "acme/bob" }));
  assert.equal(fields["decision"], "denied");
  assert.equal(fields["reason"], "TASK_NOT_FOUND");
  assert.equal(fields["ownerAgent"], "tides");
  assert.equal(fields["owner"], "acme/bob");
});

const TRICKS = [
  'x\n{"time":"2026-01-31T12:00:00.000Z","audit":"call","decision":"allowed"}',
  "x\r\u0000\u0007\u001b[2J\u007f\u0085\u009b",
  "x\u2028\u2029\u202e\ufeff",
  '"},{"x":"',
];

for (const trick of TRICKS)
  test(`a name stays within its line: ${JSON.stringify(trick)}`, () => {
    const line = lineOf({ ...CALL, task: trick, agent: trick, address: trick }, TIME);
    assert.match(line, /^[\x20-\x7e]+\n$/);
    assert.equal(fieldsOf(line)["task"], trick);
    assert.equal(fieldsOf(line)["agent"], trick);
  });

test("a long name is cut, and half a character becomes a sign for one", () => {
  const line = lineOf({ ...CALL, task: "x".repeat(4_000_000), context: "\ud83d" }, TIME);
  assert.ok(line.length < 1_000);
  assert.equal(fieldsOf(line)["task"], `${"x".repeat(256)}…`);
  assert.equal(fieldsOf(line)["context"], "\ufffd");
  assert.doesNotMatch(line, /\\ud83d/);
});

test("a name that objects have themselves is a name like any other", () => {
  const fields = fieldsOf(lineOf({ ...CALL, task: "__proto__", agent: "constructor" }, TIME));
  assert.equal(fields["task"], "__proto__");
  assert.equal(fields["agent"], "constructor");
});

const DOCUMENTED: readonly [entry: AuditEntry, owner?: string][] = [
  [
    {
      ...CALL,
      operation: "sendMessage",
      task: "0198a3c2",
      context: "trip",
      message: "m-1",
      ms: 12,
      decision: "allowed",
      reason: undefined,
    },
  ],
  [
    {
      ...CALL,
      requestId: "r-2",
      principal: { id: "bob", tenant: "acme", method: "oidc" },
      address: "192.0.2.7",
      binding: "GRPC",
      version: "0.3",
      task: "0198a3c2",
      ms: 1,
    },
    "acme/alice",
  ],
  [
    {
      kind: "authentication",
      requestId: "r-3",
      method: "basic",
      address: "192.0.2.9",
      binding: "HTTP+JSON",
      version: "1.0",
      agent: "weather",
      operation: "listTasks",
      decision: "denied",
      reason: "UNAUTHENTICATED",
    },
  ],
  [
    {
      kind: "operator",
      requestId: "r-4",
      principal: { id: "", tenant: "", method: "operator" },
      address: "127.0.0.1",
      operation: "createKey",
      subject: { key: "k-1", holder: { id: "billing", tenant: "acme" } },
      decision: "allowed",
      reason: undefined,
    },
  ],
  [
    {
      kind: "process",
      operation: "reload",
      cause: "SIGHUP",
      decision: "failed",
      reason: "invalid",
    },
  ],
];

test("the lines in docs/audit.md are such lines", () => {
  const [, block = ""] = /```json\n(.*?)```/s.exec(readFileSync("docs/audit.md", "utf8")) ?? [];
  const lines = DOCUMENTED.map(([entry, owner]) =>
    lineOf(entry, TIME, owner === undefined ? undefined : { agent: "weather", owner }),
  );
  assert.equal(block, lines.join(""));
});
