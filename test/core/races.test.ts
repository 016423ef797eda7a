import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredTask, TaskStore } from "../../src/core/ports/task-store.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import {
  artifact,
  chunk,
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
} from "../support/task-service.ts";
import { wrapped } from "../support/wrapped-store.ts";

const now = { returnImmediately: true };

/** A task that ended between the moment it was read as at work and the moment somebody acts on that. */
async function justEnded() {
  const real = await openTaskStore({ file: ":memory:" });
  let stale: StoredTask | undefined;
  const load: TaskStore["load"] = async (...key) => {
    const answer = stale ?? (await real.load(...key));
    stale = undefined;
    return answer;
  };
  const puppet = new Puppet();
  const handler = new ScriptedHandler(puppet.script);
  const running = await startService(handler, { store: wrapped(real, { load }) });
  puppet.say(working);
  const request = withConfiguration(requestOf("hi"), now);
  const { id } = taskIn(await running.service.sendMessage(request, callOf()));
  const atWork = await real.load("test", "", id);
  puppet.say(completed);
  while (running.service.load.tasks > 0) await new Promise(setImmediate);
  stale = atWork;
  return { ...running, id };
}

describe("a task that ends while somebody asks for it", () => {
  it("is not cancelable, instead of never answering", async () => {
    const { service, id, stop } = await justEnded();
    await assert.rejects(service.cancelTask({ id }, callOf()), { reason: "TASK_NOT_CANCELABLE" });
    assert.equal(service.load.tasks, 0);
    await stop();
  });

  it("takes no message, and leaves nothing behind in memory", async () => {
    const { service, id, stop } = await justEnded();
    const sending = service.sendMessage(requestOf("more", { taskId: id }), callOf());
    await assert.rejects(sending, { reason: "UNSUPPORTED_OPERATION" });
    assert.equal(service.load.tasks, 0);
    await stop();
  });
});

describe("a stop", () => {
  it("takes no turn whose send was under way before it", async () => {
    const real = await openTaskStore({ file: ":memory:" });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const load: TaskStore["load"] = (...key) => held.then(() => real.load(...key));
    const handler = new ScriptedHandler(says(completed));
    const { service } = await startService(handler, { store: wrapped(real, { load }) });
    const request = requestOf("hi", { referenceTaskIds: ["x"] });
    const sending = service.sendMessage(request, callOf());
    await service.stop(0);
    release();
    await assert.rejects(sending, { reason: "UNAVAILABLE" });
    assert.equal(handler.turns.length, 0);
    await real.close();
  });

  it("finishes a cancellation that was on its way, whatever the agent does at a restart", async () => {
    for (const onRestart of ["fail", "rerun"] as const) {
      const puppet = new Puppet();
      const handler = new ScriptedHandler(puppet.script);
      const { service, store } = await startService(handler, { agent: { onRestart } });
      puppet.say(working);
      const request = withConfiguration(requestOf("hi"), now);
      const { id } = taskIn(await service.sendMessage(request, callOf()));
      const cancel = service.cancelTask({ id }, callOf());
      await new Promise(setImmediate);
      await service.stop(0);
      assert.equal(modelOf(await cancel).status.state, "TASK_STATE_CANCELED");
      await store.close();
    }
  });
});

describe("a repeated message", () => {
  it("answers with its own task, not with the turn that runs there now", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(says(inputRequired));
    const agent = { idempotencyWindowMs: 60_000 };
    const { service, stop } = await startService(handler, { agent });
    const first = requestOf("hi");
    const { id } = taskIn(await service.sendMessage(first, callOf()));
    handler.script = puppet.script;
    puppet.say(working);
    const more = withConfiguration(requestOf("more", { taskId: id }), now);
    await service.sendMessage(more, callOf());
    const again = taskIn(await service.sendMessage(first, callOf()));
    assert.equal(again.id, id);
    assert.equal(again.status.state, "TASK_STATE_WORKING");
    await stop();
  });
});

describe("a stream", () => {
  it("that repeats a send starts with the task of now, and misses nothing after it", async () => {
    const puppet = new Puppet();
    const agent = { idempotencyWindowMs: 60_000 };
    const { service, stop } = await startService(new ScriptedHandler(puppet.script), { agent });
    const request = requestOf("hi");
    const first = service.sendStreamingMessage(request, callOf())[Symbol.asyncIterator]();
    puppet.say(working, chunk("1", "a"), chunk("2", "a"));
    for (let read = 0; read < 4; read++) await first.next();
    const again = collect(service.sendStreamingMessage(request, callOf()));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    puppet.say(chunk("3", "a"), completed);
    const generations = (await again).map(({ generation = 0 }) => generation);
    const [start = 0] = generations;
    assert.ok(start >= 4, String(generations));
    assert.deepEqual(
      generations,
      generations.map((_, index) => start + index),
    );
    await first.return?.(undefined);
    await stop();
  });

  it("that repeats a send shows what came between the first read of its task and its subscription", async () => {
    const real = await openTaskStore({ file: ":memory:" });
    let stale: StoredTask | undefined;
    const load: TaskStore["load"] = async (...key) => {
      const answer = stale ?? (await real.load(...key));
      stale = undefined;
      return answer;
    };
    const handler = new ScriptedHandler(says(inputRequired));
    const agent = { idempotencyWindowMs: 60_000 };
    const store = wrapped(real, { load });
    const { service, stop } = await startService(handler, { store, agent });
    const first = requestOf("hi");
    const { id } = taskIn(await service.sendMessage(first, callOf()));
    const waiting = await real.load("test", "", id);
    const puppet = new Puppet();
    handler.script = puppet.script;
    puppet.say(working);
    const more = withConfiguration(requestOf("more", { taskId: id }), now);
    await service.sendMessage(more, callOf());
    stale = waiting;
    const stream = service.sendStreamingMessage(first, callOf())[Symbol.asyncIterator]();
    const start = await stream.next();
    assert.equal(start.value && shortOf(start.value), "task WORKING");
    puppet.say(completed);
    const end = await stream.next();
    assert.equal(end.value && shortOf(end.value), "status COMPLETED");
    await stop();
  });

  it("of a turn that waits does not end when the turn before it asks for more", async () => {
    const puppet = new Puppet();
    const agent = { idempotencyWindowMs: 60_000 };
    const { service, stop } = await startService(new ScriptedHandler(puppet.script), { agent });
    puppet.say(working);
    const opening = withConfiguration(requestOf("one"), now);
    const { id } = taskIn(await service.sendMessage(opening, callOf()));
    const second = requestOf("two", { taskId: id });
    const stream = service.sendStreamingMessage(second, callOf())[Symbol.asyncIterator]();
    const start = stream.next();
    // Somebody needs to see the second message, so that it is recorded while the first turn runs.
    await service.sendMessage(withConfiguration(second, now), callOf());
    const items = [await start];
    puppet.say(inputRequired);
    puppet.end();
    const read = async (): Promise<void> => {
      for (let item = await stream.next(); !item.done; item = await stream.next()) items.push(item);
    };
    const reading = read();
    puppet.say(artifact("second"), completed);
    await reading;
    assert.deepEqual(
      items.map(({ value }) => value && shortOf(value)),
      [
        "task WORKING",
        "status WORKING",
        "status INPUT_REQUIRED",
        "status WORKING",
        "artifact second",
        "status COMPLETED",
      ],
    );
    await stop();
  });
});

describe("turns that are run again after a restart", () => {
  it("are as many at a time as may run", async () => {
    const store = await openTaskStore({ file: ":memory:" });
    const noClose = wrapped(store, { close: async () => undefined });
    const before = new Puppet();
    const first = await startService(new ScriptedHandler(before.script), { store: noClose });
    for (const text of ["a", "b", "c"]) {
      before.say(working);
      await first.service.sendMessage(withConfiguration(requestOf(text), now), callOf());
    }
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    const agent = { onRestart: "rerun" } as const;
    const second = await startService(handler, { store, agent, runningTasks: 2 });
    await second.service.recover();
    while (handler.turns.length < 2) await new Promise(setImmediate);
    assert.equal(second.service.load.tasks, 2);
    puppet.say(completed);
    while (handler.turns.length < 3) await new Promise(setImmediate);
    await second.stop();
  });
});
