import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { QuotaLimits } from "../../../src/core/limits/task-quota.ts";
import type { Handler } from "../../../src/core/ports/handler.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import {
  artifact,
  completed,
  inputRequired,
  message,
  says,
  ScriptedHandler,
  throws,
} from "../../support/scripted-handler.ts";
import {
  callOf,
  named,
  requestOf,
  startService,
  taskIn,
  withConfiguration,
  type Running,
} from "../../support/task-service.ts";

async function within(
  quota: Partial<QuotaLimits>,
  handler: Handler,
  run: (running: Running) => Promise<void>,
): Promise<void> {
  const running = await startService(handler, { quota });
  try {
    await run(running);
  } finally {
    await running.stop();
  }
}

const send = ({ service }: Running, text = "hi", id = "ann") =>
  service.sendMessage(requestOf(text), callOf({ principal: named(id) }));

const OVER = { reason: "RATE_LIMITED", metadata: { limit: "quota.tasks" } };

describe("a quota of tasks", () => {
  it("lets nobody have more, however many messages come at once", async () => {
    await within({ tasks: 7 }, new ScriptedHandler(says(completed)), async (running) => {
      const sent = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0
          ? send(running)
          : running.service.sendMessage(
              withConfiguration(requestOf("hi"), { returnImmediately: true }),
              callOf({ principal: named("ann") }),
            ),
      );
      const answers = await Promise.allSettled(sent);
      assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 7);
      const call = callOf({ principal: named("ann") });
      assert.equal((await running.service.listTasks({}, call)).totalSize, 7);
      await assert.rejects(send(running), OVER);
      // Others are not concerned.
      assert.equal(taskIn(await send(running, "hi", "bob")).status.state, "TASK_STATE_COMPLETED");
    });
  });

  it("calls no agent for a task that there is no room for, and lets others go on and be canceled", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await within({ tasks: 2 }, handler, async (running) => {
      const call = callOf({ principal: named("ann") });
      const ids = [taskIn(await send(running)).id, taskIn(await send(running)).id] as const;
      await assert.rejects(send(running), OVER);
      assert.equal(handler.turns.length, 2);
      handler.script = says(artifact("more"), completed);
      const answer = requestOf("this one", { taskId: ids[0] });
      const ended = taskIn(await running.service.sendMessage(answer, call));
      assert.equal(ended.status.state, "TASK_STATE_COMPLETED");
      const canceled = taskIn({ task: await running.service.cancelTask({ id: ids[1] }, call) });
      assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
      // What has ended is kept still, and counts.
      await assert.rejects(send(running), OVER);
      const now = Date.now() + 1_000;
      const limits = { finishedBefore: now, unfinishedBefore: now, entriesBefore: undefined };
      await running.store.purge(limits, 1);
      assert.equal(taskIn(await send(running)).status.state, "TASK_STATE_COMPLETED");
    });
  });

  it("counts no answer by message, and no error without a task", async () => {
    const handler = new ScriptedHandler(says(message("hello")));
    await within({ tasks: 1 }, handler, async (running) => {
      await send(running);
      handler.script = throws(new A2AError("CONTENT_TYPE_NOT_SUPPORTED", "no pictures"));
      await assert.rejects(send(running), { reason: "CONTENT_TYPE_NOT_SUPPORTED" });
      handler.script = says(completed);
      assert.equal(taskIn(await send(running)).status.state, "TASK_STATE_COMPLETED");
    });
  });
});

describe("a quota of bytes", () => {
  it("lets the turn that goes past it end, and no further task begin", async () => {
    const handler = new ScriptedHandler(says(artifact("x".repeat(10_000)), completed));
    await within({ bytes: 5_000 }, handler, async (running) => {
      assert.equal(taskIn(await send(running)).status.state, "TASK_STATE_COMPLETED");
      await assert.rejects(send(running), { ...OVER, metadata: { limit: "quota.bytes" } });
    });
  });
});
