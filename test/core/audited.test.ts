import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { audited } from "../../src/core/audited.ts";
import type { AuditEntry } from "../../src/core/ports/audit.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { scriptedService, ScriptedStream } from "../support/scripted-service.ts";
import { completed, message, says, ScriptedHandler, working } from "../support/scripted-handler.ts";
import {
  callOf,
  collect,
  named,
  requestOf,
  startService,
  taskIn,
} from "../support/task-service.ts";

const ALL = new Set(Object.keys(OPERATIONS) as OperationName[]);

async function withAudit({
  operations = ALL,
  isFull = (): boolean => false,
  script = [working, completed],
} = {}) {
  const entries: AuditEntry[] = [];
  const { service, stop } = await startService(new ScriptedHandler(says(...script)));
  const agents = { find: () => ({ id: "test", sharing: "none" }) as never, all: () => [] };
  const audit = {
    write: (entry: AuditEntry) => void entries.push(entry),
    check() {
      if (isFull()) throw new A2AError("UNAVAILABLE", "full");
    },
  };
  const clock = { now: () => 0, newId: () => "" };
  const front = audited(service, { audit, agents, clock, primary: () => "test", operations });
  return { front, entries, load: () => service.load, stop };
}

describe("the audit of calls", () => {
  it("has an entry for a send, with the task that came of it", async () => {
    const { front, entries, stop } = await withAudit();
    const request = requestOf("secret words");
    const call = callOf({ principal: named("alice"), address: "192.0.2.1", binding: "GRPC" });
    const { id, contextId } = taskIn(await front.sendMessage(request, call));
    assert.deepEqual(entries, [
      {
        kind: "call",
        requestId: "test",
        principal: named("alice"),
        address: "192.0.2.1",
        binding: "GRPC",
        version: "1.0",
        agent: "test",
        operation: "sendMessage",
        ms: 0,
        task: id,
        context: contextId,
        message: request.message.messageId,
        decision: "allowed",
        reason: undefined,
      },
    ]);
    await stop();
  });

  it("has the entry of a stream once it has begun, and no other", async () => {
    const { front, entries, stop } = await withAudit();
    const items = front.sendStreamingMessage(requestOf("hi"), callOf())[Symbol.asyncIterator]();
    await items.next();
    assert.equal(entries.length, 1);
    while (!(await items.next()).done);
    assert.deepEqual(
      entries.map((entry) => [entry.decision, "task" in entry && typeof entry.task]),
      [["allowed", "string"]],
    );
    await stop();
  });

  it("says that a caller left a stream before it began", async () => {
    const { front, entries, stop } = await withAudit();
    const items = front.sendStreamingMessage(requestOf("hi"), callOf())[Symbol.asyncIterator]();
    await items.return?.();
    assert.deepEqual(
      entries.map(({ decision, reason }) => [decision, reason]),
      [["failed", "CANCELLED"]],
    );
    await stop();
  });

  it("says what a stream came to whose caller left while it began", async () => {
    const { front, entries, load, stop } = await withAudit();
    const items = front.sendStreamingMessage(requestOf("hi"), callOf())[Symbol.asyncIterator]();
    const first = items.next();
    await items.return?.();
    await first;
    assert.equal((await items.next()).done, true);
    const { tasks } = await front.listTasks({}, callOf());
    const [entry] = entries;
    assert.ok(entry?.kind === "call");
    assert.deepEqual([entry.decision, entry.task], ["allowed", tasks[0] && modelOf(tasks[0]).id]);
    assert.equal(load().streams, 0);
    await stop();
  });

  it("has an entry for an answer without a task", async () => {
    const { front, entries, stop } = await withAudit({ script: [message("hello")] });
    await front.sendMessage(requestOf("hi", { contextId: "c" }), callOf());
    const [entry] = entries;
    assert.ok(entry?.kind === "call");
    assert.deepEqual([entry.context, entry.task], ["c", undefined]);
    await stop();
  });

  it("says of a task that was not found whose it would have been", async () => {
    const { front, entries, stop } = await withAudit();
    const call = callOf({ principal: { ...named("bob"), tenant: "acme" } });
    await assert.rejects(front.getTask({ id: "nobody's" }, call));
    await assert.rejects(collect(front.subscribeToTask({ id: "nobody's" }, call)));
    assert.equal(entries.length, 2);
    for (const entry of entries) {
      assert.ok(entry.kind === "call");
      assert.equal(entry.task, "nobody's");
      assert.equal(entry.decision, "failed");
      assert.deepEqual(entry.sought, { agent: "test", owner: "acme/bob" });
    }
    await stop();
  });

  it("passes operations that nobody wants written down", async () => {
    const { front, entries, stop } = await withAudit({ operations: new Set(["cancelTask"]) });
    await front.listTasks({}, callOf());
    await collect(front.sendStreamingMessage(requestOf("hi"), callOf()));
    assert.deepEqual(entries, []);
    await stop();
  });

  it("does nothing for a call that may not be done unwritten", async () => {
    let isFull = true;
    const { front, entries, stop } = await withAudit({ isFull: () => isFull });
    await assert.rejects(front.sendMessage(requestOf("hi"), callOf()), /full/);
    assert.throws(() => front.sendStreamingMessage(requestOf("hi"), callOf()), /full/);
    isFull = false;
    assert.deepEqual((await front.listTasks({}, callOf())).tasks, []);
    assert.equal(entries.length, 1);
    await stop();
  });

  for (const [reason, decision] of [
    ["FORBIDDEN", "denied"],
    ["RATE_LIMITED", "denied"],
    ["UNAUTHENTICATED", "denied"],
    ["INVALID_PARAMS", "failed"],
    ["INTERNAL_ERROR", "failed"],
  ] as const)
    it(`calls ${reason} ${decision}, on every operation`, async () => {
      const entries: AuditEntry[] = [];
      const error = new A2AError(reason, "no");
      const fail = (name: OperationName) => () =>
        OPERATIONS[name] === "unary" ? Promise.reject(error) : new ScriptedStream().end({ error });
      const script = Object.fromEntries([...ALL].map((name) => [name, fail(name)]));
      const audit = {
        check: () => undefined,
        write: (entry: AuditEntry) => void entries.push(entry),
      };
      const front = audited(scriptedService(script), {
        audit,
        agents: { find: () => undefined, all: () => [] },
        clock: { now: () => 0, newId: () => "" },
        primary: () => "test",
        operations: ALL,
      });
      for (const name of ALL)
        await assert.rejects(async () => {
          const answer = front[name](
            { id: "t", taskId: "t", ...requestOf("hi") } as never,
            callOf(),
          );
          await (Symbol.asyncIterator in answer ? collect(answer) : answer);
        });
      assert.deepEqual(
        entries.map((entry) => [entry.kind, "operation" in entry && entry.operation]),
        [...ALL].map((name) => ["call", name]),
      );
      for (const entry of entries)
        assert.deepEqual([entry.decision, entry.reason], [decision, reason]);
    });
});
