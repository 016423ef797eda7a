import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TaskStore } from "../../src/core/ports/task-store.ts";
import { UNASKED } from "../../src/protocol/principal.ts";
import { isTerminal } from "../../src/protocol/states.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
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
  textsOf,
  withConfiguration,
} from "../support/task-service.ts";
import { wrapped } from "../support/wrapped-store.ts";

const now = { returnImmediately: true };

/** Two lives of a gateway on one file: the first leaves a task at work and one that waits. */
async function twoLives(onRestart: "fail" | "rerun") {
  const folder = mkdtempSync(join(tmpdir(), "a2a-recovery-"));
  const file = join(folder, "tasks.db");
  const puppet = new Puppet();
  const handler = new ScriptedHandler(says(inputRequired));
  const store = await openTaskStore({ file });
  const first = await startService(handler, { store });
  const waits = taskIn(await first.service.sendMessage(requestOf("hi"), callOf())).id;
  handler.script = puppet.script;
  puppet.say(working, artifact("half"));
  const request = withConfiguration(requestOf("work"), now);
  const cut = taskIn(await first.service.sendMessage(request, callOf())).id;
  await first.crash();
  const again = new ScriptedHandler(says(artifact("whole"), completed));
  const second = await startService(again, {
    store: await openTaskStore({ file }),
    agent: { onRestart },
  });
  await second.service.recover();
  const stop = async (): Promise<void> => {
    await second.stop();
    rmSync(folder, { recursive: true });
  };
  return { service: second.service, handler: again, waits, cut, stop };
}

describe("a restart", () => {
  it("fails tasks whose turn was cut, says why, and lets waiting ones wait", async () => {
    const { service, handler, waits, cut, stop } = await twoLives("fail");
    const failed = modelOf(await service.getTask({ id: cut }, callOf()));
    assert.equal(failed.status.state, "TASK_STATE_FAILED");
    assert.match(failed.status.message?.parts[0]?.text ?? "", /restarted/);
    const waiting = modelOf(await service.getTask({ id: waits }, callOf()));
    assert.equal(waiting.status.state, "TASK_STATE_INPUT_REQUIRED");
    const request = requestOf("go", { taskId: waits });
    const ended = taskIn(await service.sendMessage(request, callOf()));
    assert.equal(ended.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(textsOf(ended.history), ["hi", "which one?", "go"]);
    assert.equal(handler.turns.length, 1);
    await stop();
  });

  it("runs turns that waited for a place one after another, whatever the line holds", async () => {
    const folder = mkdtempSync(join(tmpdir(), "a2a-recovery-"));
    const file = join(folder, "tasks.db");
    const store = await openTaskStore({ file });
    const first = await startService(new ScriptedHandler(new Puppet().script), {
      store,
      // It ends as by a crash: nobody is there to give a turn up that waits.
      turns: { running: 1, wait: 2_000_000_000 },
    });
    const send = async (text: string): Promise<string> => {
      const request = withConfiguration(requestOf(text), now);
      return taskIn(await first.service.sendMessage(request, callOf())).id;
    };
    const ids = await Promise.all(["1", "2", "3"].map(send));
    await first.crash();
    // Or it would go on trying to write down that its tasks have failed.
    await first.service.stop(0);

    const again = new ScriptedHandler(says(completed));
    const second = await startService(again, {
      store: await openTaskStore({ file }),
      turns: { running: 1, queue: 0, wait: 1 },
      agent: { onRestart: "rerun" },
    });
    const streams = ids.map((id) => collect(second.service.subscribeToTask({ id }, callOf())));
    await second.service.recover();
    for (const items of await Promise.all(streams))
      assert.equal(items.map(shortOf).at(-1), "status COMPLETED");
    assert.equal(again.turns.length, 3);
    await second.stop();
    rmSync(folder, { recursive: true });
  });

  it("counts all who came without credentials as one caller, as before it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "a2a-recovery-"));
    const file = join(folder, "tasks.db");
    const store = await openTaskStore({ file });
    const first = await startService(new ScriptedHandler(new Puppet().script), { store });
    const strangers = ["1", "2"].map((id) =>
      callOf({ principal: { ...UNASKED, id, method: "anonymous" } }),
    );
    for (const call of strangers)
      await first.service.sendMessage(withConfiguration(requestOf("work"), now), call);
    await first.crash();
    await first.service.stop(0);

    let running = 0;
    let most = 0;
    const again = new ScriptedHandler(async function* () {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      yield completed;
    });
    const second = await startService(again, {
      store: await openTaskStore({ file }),
      turns: { perPrincipal: 1 },
      agent: { onRestart: "rerun" },
    });
    const ends = strangers.map(async (call) => {
      const { tasks } = await second.service.listTasks({}, call);
      const [task] = tasks.map(modelOf);
      assert.ok(task);
      return collect(second.service.subscribeToTask({ id: task.id }, call));
    });
    await second.service.recover();
    await Promise.all(ends);
    assert.deepEqual([again.turns.length, most], [2, 1]);
    await second.stop();
    rmSync(folder, { recursive: true });
  });

  it("runs the turn again where the agent says so", async () => {
    const { service, handler, cut, stop } = await twoLives("rerun");
    const call = callOf({ resumeAfter: 0 });
    const items = await collect(service.subscribeToTask({ id: cut }, call));
    assert.equal(items.map(shortOf).at(-1), "status COMPLETED");
    const task = modelOf(await service.getTask({ id: cut }, callOf()));
    assert.deepEqual(textsOf(task.history), ["work"]);
    assert.equal(handler.turns[0]?.message.parts[0]?.text, "work");
    await stop();
  });

  it("keeps the log without gap or repeat", async () => {
    const { service, cut, stop } = await twoLives("fail");
    const call = callOf({ resumeAfter: 0 });
    const items = await collect(service.subscribeToTask({ id: cut }, call));
    assert.deepEqual(
      items.map(({ generation }) => generation),
      items.map((_, index) => index + 1),
    );
    await stop();
  });
});

describe("a stop", () => {
  it("ends streams with an error, refuses calls, and lets the turn finish", async () => {
    const puppet = new Puppet();
    const { service, store } = await startService(new ScriptedHandler(puppet.script));
    puppet.say(working);
    const request = withConfiguration(requestOf("hi"), now);
    const { id } = taskIn(await service.sendMessage(request, callOf()));
    const stream = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    await stream.next();
    const stopping = service.stop(60_000);
    await assert.rejects(stream.next(), { reason: "UNAVAILABLE" });
    await assert.rejects(service.getTask({ id }, callOf()), { reason: "UNAVAILABLE" });
    puppet.say(completed);
    await stopping;
    const stored = await store.load("test", "", id);
    assert.equal(stored?.status.state, "TASK_STATE_COMPLETED");
    await store.close();
  });

  it("fails what does not finish in time, and answers whoever waits", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    const { service, store } = await startService(handler);
    puppet.say(working);
    const waiting = service.sendMessage(requestOf("hi"), callOf());
    while (service.load.tasks === 0) await new Promise(setImmediate);
    await service.stop(10);
    const task = taskIn(await waiting);
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.equal(handler.turns[0]?.signal.aborted, true);
    await store.close();
  });
});

describe("a store that refuses a commit", () => {
  /** A real store whose commits of terminal states fail, as on a full disk, while `disk.full` is set. */
  function failing(store: TaskStore, disk: { full: boolean }): TaskStore {
    const commit: TaskStore["commit"] = (draft) =>
      store.commit({
        take: () => {
          const change = draft.take();
          if (disk.full && isTerminal(change.status.state)) throw new Error("disk full");
          return change;
        },
      });
    return wrapped(store, { commit });
  }

  it("tells nobody that the task completed, fails callers and streams, and then the task", async () => {
    const puppet = new Puppet();
    const disk = { full: true };
    const store = failing(await openTaskStore({ file: ":memory:" }), disk);
    const { service, stop } = await startService(new ScriptedHandler(puppet.script), { store });
    puppet.say(working);
    const request = withConfiguration(requestOf("hi"), now);
    const { id } = taskIn(await service.sendMessage(request, callOf()));
    const streams = [1, 2].map(() =>
      service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator](),
    );
    for (const stream of streams) await stream.next();
    puppet.say(completed);
    for (const stream of streams) await assert.rejects(stream.next(), { reason: "INTERNAL_ERROR" });
    const stored = modelOf(await service.getTask({ id }, callOf()));
    assert.equal(stored.status.state, "TASK_STATE_WORKING");
    const later = service.subscribeToTask({ id }, callOf())[Symbol.asyncIterator]();
    await later.next();
    disk.full = false;
    const failed = (await later.next()).value;
    assert.ok(failed);
    assert.equal(shortOf(failed), "status FAILED");
    await stop();
  });
});
