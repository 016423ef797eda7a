import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelOf } from "../../src/protocol/ready-made.ts";
import {
  artifact,
  completed,
  inputRequired,
  Puppet,
  says,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import {
  callOf,
  collect,
  requestOf,
  shortOf,
  startService,
  taskIn,
  withConfiguration,
  type Options,
} from "../support/task-service.ts";

/** A task at work, whose handler the puppet plays. */
async function atWork(options: Options = {}) {
  const puppet = new Puppet();
  const handler = new ScriptedHandler(puppet.script);
  const running = await startService(handler, options);
  puppet.say(working);
  const request = withConfiguration(requestOf("hi"), { returnImmediately: true });
  const { id } = taskIn(await running.service.sendMessage(request, callOf()));
  return { ...running, puppet, handler, id };
}

describe("cancelTask", () => {
  it("tells the handler once, with the metadata, and answers when it confirms", async () => {
    const { service, puppet, handler, id, stop } = await atWork();
    const metadata = { why: "too slow" };
    const cancels = [
      service.cancelTask({ id, metadata }, callOf()),
      service.cancelTask({ id }, callOf()),
    ];
    handler.turns[0]?.signal.addEventListener("abort", () => puppet.end());
    for (const cancel of cancels) {
      assert.equal(modelOf(await cancel).status.state, "TASK_STATE_CANCELED");
    }
    assert.deepEqual(handler.cancels, [metadata]);
    await stop();
  });

  it("takes the state by force when the handler does not end within the grace period", async () => {
    const { service, puppet, id, stop } = await atWork({ agent: { cancelGraceMs: 20 } });
    const task = modelOf(await service.cancelTask({ id }, callOf()));
    assert.equal(task.status.state, "TASK_STATE_CANCELED");
    puppet.say(artifact("late"), completed);
    const later = modelOf(await service.getTask({ id }, callOf()));
    assert.equal(later.status.state, "TASK_STATE_CANCELED");
    assert.deepEqual(later.artifacts, []);
    await stop();
  });

  it("does not undo a completion that was faster", async () => {
    const { service, puppet, id, stop } = await atWork();
    const cancel = service.cancelTask({ id }, callOf());
    puppet.say(completed);
    await assert.rejects(cancel, { reason: "TASK_NOT_CANCELABLE" });
    const task = modelOf(await service.getTask({ id }, callOf()));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    await stop();
  });

  it("treats a handler that throws while it is canceled as canceled", async () => {
    const { service, puppet, handler, id, stop } = await atWork();
    handler.turns[0]?.signal.addEventListener("abort", () => puppet.fail(new Error("aborted")));
    const task = modelOf(await service.cancelTask({ id }, callOf()));
    assert.equal(task.status.state, "TASK_STATE_CANCELED");
    await stop();
  });

  it("shows its subscribers one terminal event", async () => {
    const { service, puppet, handler, id, stop } = await atWork();
    handler.turns[0]?.signal.addEventListener("abort", () => puppet.end());
    const stream = collect(service.subscribeToTask({ id }, callOf()));
    await service.getTask({ id }, callOf());
    await service.cancelTask({ id }, callOf());
    assert.deepEqual((await stream).map(shortOf), ["task WORKING", "status CANCELED"]);
    await stop();
  });

  it("cancels a task that waits, returns a canceled one again, and refuses an ended one", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    for (const _ of [1, 2]) {
      const task = modelOf(await service.cancelTask({ id }, callOf()));
      assert.equal(task.status.state, "TASK_STATE_CANCELED");
    }
    handler.script = says(completed);
    const ended = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const cancel = service.cancelTask({ id: ended.id }, callOf());
    await assert.rejects(cancel, { reason: "TASK_NOT_CANCELABLE" });
    const unknown = service.cancelTask({ id: "nobody" }, callOf());
    await assert.rejects(unknown, { reason: "TASK_NOT_FOUND" });
    await stop();
  });

  it("refuses the turns that wait behind the canceled one", async () => {
    const { service, puppet, handler, id, stop } = await atWork();
    const waiting = service.sendMessage(requestOf("more", { taskId: id }), callOf());
    handler.turns[0]?.signal.addEventListener("abort", () => puppet.end());
    await service.getTask({ id }, callOf());
    await service.cancelTask({ id }, callOf());
    await assert.rejects(waiting, { reason: "UNSUPPORTED_OPERATION" });
    assert.equal(handler.turns.length, 1);
    await stop();
  });
});
