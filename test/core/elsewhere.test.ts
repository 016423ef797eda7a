/** Tasks that live at a remote agent: others hold the truth of them, and a handler goes on with them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { TaskStore } from "../../src/core/ports/task-store.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import {
  artifact,
  authRequired,
  completed,
  inputRequired,
  message,
  Puppet,
  says,
  ScriptedHandler,
  throws,
  working,
} from "../support/scripted-handler.ts";
import {
  callOf,
  requestOf,
  shortOf,
  startService,
  taskIn,
  textsOf,
  withConfiguration,
} from "../support/task-service.ts";
import { wrapped } from "../support/wrapped-store.ts";

/** A handler of tasks that live elsewhere. */
class RemoteHandler extends ScriptedHandler {
  readonly resumed: Turn[] = [];
  resumption: (turn: Turn) => AsyncIterable<HandlerEvent> = says();

  resume(turn: Turn): AsyncIterable<HandlerEvent> {
    this.resumed.push(turn);
    return this.resumption(turn);
  }
}

const there: HandlerEvent = { kind: "upstream", taskId: "u-task", contextId: "u-context" };
const upstream = { taskId: "u-task", contextId: "u-context" };
const now = { returnImmediately: true };

describe("a task that lives elsewhere", () => {
  it("takes the context of the remote task where the caller named none", async () => {
    const handler = new RemoteHandler(says(there, artifact("a"), inputRequired));
    const { service, stop } = await startService(handler);
    const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    assert.equal(task.contextId, "u-context");
    assert.equal(task.history?.[0]?.contextId, "u-context");
    const given = requestOf("hi", { contextId: "mine" });
    assert.equal(taskIn(await service.sendMessage(given, callOf())).contextId, "mine");
    await stop();
  });

  it("has a message without a task in the remote context, too", async () => {
    const there: HandlerEvent = { kind: "upstream", taskId: undefined, contextId: "u-context" };
    const { service, stop } = await startService(new RemoteHandler(says(there, message("hi"))));
    const answer = await service.sendMessage(requestOf("hi"), callOf());
    assert.ok("message" in answer);
    assert.equal(answer.message.contextId, "u-context");
    await stop();
  });

  it("is given its remote ids at its next turn, and those of the tasks it refers to", async () => {
    const handler = new RemoteHandler(says(there, inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    handler.script = says(completed);
    await service.sendMessage(requestOf("go on", { taskId: id }), callOf());
    assert.deepEqual(handler.turns[1]?.upstream, upstream);
    await service.sendMessage(requestOf("and", { referenceTaskIds: [id, "none"] }), callOf());
    assert.equal(handler.turns[2]?.upstream, undefined);
    assert.deepEqual(handler.turns[2]?.referencedUpstreams, new Map([[id, upstream]]));
    await stop();
  });

  it("needs one place for the turn that runs and the one that takes over from it", async () => {
    const first = new Puppet();
    const handler = new RemoteHandler(first.script);
    const turns = { running: 1, queue: 5 };
    const { service, stop } = await startService(handler, { turns });
    first.say(there, working);
    const { id } = taskIn(
      await service.sendMessage(withConfiguration(requestOf("hi"), now), callOf()),
    );
    const second = new Puppet();
    handler.script = second.script;
    const further = service.sendMessage(requestOf("more", { taskId: id }), callOf());
    const another = service.sendMessage(requestOf("other"), callOf());
    second.say(artifact("taken over"));
    while (!handler.turns[0]?.signal.aborted) await immediate();
    // The place of the first is the second's now, and the other one waits for it still.
    assert.equal(handler.turns.length, 2);
    handler.script = says(completed);
    second.say(completed);
    assert.equal(taskIn(await further).status.state, "TASK_STATE_COMPLETED");
    assert.equal(taskIn(await another).status.state, "TASK_STATE_COMPLETED");
    await stop();
  });

  it("lets one further message at a time run beside the turn, where turns are limited", async () => {
    const first = new Puppet();
    const handler = new RemoteHandler(first.script);
    const { service, stop } = await startService(handler, { turns: { running: 1 } });
    first.say(there, working);
    const { id } = taskIn(
      await service.sendMessage(withConfiguration(requestOf("hi"), now), callOf()),
    );
    const puppets = [new Puppet(), new Puppet()] as const;
    const sent = [];
    for (const { script } of puppets) {
      handler.script = script;
      sent.push(service.sendMessage(requestOf("more", { taskId: id }), callOf()));
      await service.getTask({ id }, callOf());
    }
    assert.equal(handler.turns.length, 2);
    puppets[1].say(completed);
    // It comes to nothing, and the next one has its turn.
    puppets[0].fail(new A2AError("INVALID_PARAMS", "not that"));
    await assert.rejects(sent[0] ?? assert.fail(), /not that/);
    assert.equal(taskIn(await (sent[1] ?? assert.fail())).status.state, "TASK_STATE_COMPLETED");
    await stop();
  });

  it("is canceled there while a further message waits for a place", async () => {
    const handler = new RemoteHandler(says(there, inputRequired));
    const { service, stop } = await startService(handler, { turns: { running: 1 } });
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    const puppet = new Puppet();
    handler.script = puppet.script;
    const other = service.sendMessage(requestOf("other"), callOf());
    const further = service.sendMessage(requestOf("more", { taskId: id }), callOf());
    await service.getTask({ id }, callOf());
    await service.cancelTask({ id }, callOf());
    assert.equal(handler.cancels.length, 1);
    assert.equal(taskIn(await further).status.state, "TASK_STATE_CANCELED");
    puppet.end();
    await other;
    assert.equal(handler.turns.length, 2);
    await stop();
  });

  it("goes on after a restart where it was", async () => {
    const folder = mkdtempSync(join(tmpdir(), "a2a-elsewhere-"));
    const file = join(folder, "tasks.db");
    const puppet = new Puppet();
    const store = await openTaskStore({ file });
    const first = await startService(new RemoteHandler(puppet.script), { store });
    puppet.say(there, working, artifact("half", "a"));
    const request = withConfiguration(requestOf("work"), now);
    const { id } = taskIn(await first.service.sendMessage(request, callOf()));
    await store.close();

    const handler = new RemoteHandler(says());
    handler.resumption = says({
      kind: "task",
      state: "TASK_STATE_COMPLETED",
      artifacts: [{ artifactId: "a", parts: [{ text: "whole" }] }],
    });
    const second = await startService(handler, { store: await openTaskStore({ file }) });
    const events = second.service.subscribeToTask({ id }, callOf());
    await second.service.recover();
    for await (const { response } of events) void response;
    const task = modelOf(await second.service.getTask({ id }, callOf()));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(
      task.artifacts?.map(({ parts }) => parts),
      [[{ text: "whole" }]],
    );
    assert.deepEqual(textsOf(task.history), ["work"]);
    assert.deepEqual(handler.resumed[0]?.upstream, upstream);
    assert.equal(handler.turns.length, 0);
    await second.stop();
    rmSync(folder, { recursive: true });
  });

  it("is left as it is by a stop", async () => {
    const puppet = new Puppet();
    const { service, store } = await startService(new RemoteHandler(puppet.script));
    puppet.say(there, working);
    const request = withConfiguration(requestOf("work"), now);
    const { id } = taskIn(await service.sendMessage(request, callOf()));
    await service.stop(0);
    assert.equal((await store.load("test", "", id))?.status.state, "TASK_STATE_WORKING");
    await store.close();
  });

  for (const [name, state] of [
    ["works", working],
    ["waits for credentials", authRequired],
  ] as const)
    it(`lets a further message take over while it ${name}`, async () => {
      const before = new Puppet();
      const handler = new RemoteHandler(before.script);
      const { service, stop } = await startService(handler);
      const stream = service.sendStreamingMessage(requestOf("hi"), callOf());
      const items = stream[Symbol.asyncIterator]();
      before.say(there, state);
      assert.equal(shortOf((await items.next()).value), "task SUBMITTED");
      assert.match(shortOf((await items.next()).value), /^status/);
      const [first] = handler.turns;
      assert.ok(first);

      handler.script = says(artifact("new"), completed);
      const answer = await service.sendMessage(
        requestOf("more", { taskId: first.taskId }),
        callOf(),
      );
      assert.equal(taskIn(answer).status.state, "TASK_STATE_COMPLETED");
      assert.ok(first.signal.aborted);
      before.say(artifact("late"));
      const rest = [];
      for (let step = await items.next(); !step.done; step = await items.next())
        rest.push(shortOf(step.value));
      assert.equal(rest.at(-1), "status COMPLETED");
      const task = modelOf(await service.getTask({ id: first.taskId }, callOf()));
      assert.deepEqual(
        task.artifacts?.map(({ parts }) => parts[0]?.text),
        ["new"],
      );
      assert.deepEqual(textsOf(task.history), ["hi", "more"]);
      await stop();
    });

  it("answers who waits for a turn that was taken over once the task has its end", async () => {
    const before = new Puppet();
    const handler = new RemoteHandler(before.script);
    const { service, store, stop } = await startService(handler);
    const waiting = service.sendMessage(requestOf("hi"), callOf());
    before.say(there, working);
    const taskId = await storedTask(handler, store);
    handler.script = says(completed);
    await service.sendMessage(requestOf("more", { taskId }), callOf());
    assert.equal(taskIn(await waiting).status.state, "TASK_STATE_COMPLETED");
    await stop();
  });

  it("goes on as before when a further message is refused", async () => {
    const before = new Puppet();
    const handler = new RemoteHandler(before.script);
    const { service, store, stop } = await startService(handler);
    const waiting = service.sendMessage(requestOf("hi"), callOf());
    before.say(there, working);
    const taskId = await storedTask(handler, store);
    handler.script = throws(new A2AError("INVALID_PARAMS", "not like this"));
    const refused = service.sendMessage(requestOf("more", { taskId }), callOf());
    await assert.rejects(refused, { reason: "INVALID_PARAMS" });
    assert.ok(!handler.turns[0]?.signal.aborted);
    before.say(completed);
    const task = taskIn(await waiting);
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(textsOf(task.history), ["hi"]);
    await stop();
  });

  it("lets no message take over before it is known where the task lives", async () => {
    const before = new Puppet();
    const handler = new RemoteHandler(before.script);
    const { service, stop } = await startService(handler);
    const request = withConfiguration(requestOf("hi"), now);
    const { id } = taskIn(await service.sendMessage(request, callOf()));
    handler.script = says(completed);
    const more = service.sendMessage(requestOf("more", { taskId: id }), callOf());
    await immediate();
    assert.equal(handler.turns.length, 1);
    before.say(there, working);
    assert.equal(taskIn(await more).status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(handler.turns[1]?.upstream, upstream);
    await stop();
  });

  it("lets a message take over from one that the agent says nothing to", async () => {
    const before = new Puppet();
    const handler = new RemoteHandler(before.script);
    const { service, store, stop } = await startService(handler);
    void service.sendMessage(requestOf("hi"), callOf());
    before.say(there, working);
    const taskId = await storedTask(handler, store);
    const silent = new Puppet();
    handler.script = silent.script;
    const second = service.sendMessage(requestOf("second", { taskId }), callOf());
    while (handler.turns.length < 2) await immediate();
    handler.script = says(completed);
    const third = await service.sendMessage(requestOf("third", { taskId }), callOf());
    assert.equal(taskIn(third).status.state, "TASK_STATE_COMPLETED");
    await assert.rejects(second, { reason: "UNSUPPORTED_OPERATION" });
    await stop();
  });

  it("is cancelled where it lives also while the turn's last word is being written", async () => {
    let isSlow = false;
    const held = new Puppet();
    const real = await openTaskStore({ file: ":memory:" });
    const store = wrapped(real, {
      async commit(draft) {
        if (isSlow) for await (const _ of held.script({} as Turn)) break;
        return real.commit(draft);
      },
    });
    const before = new Puppet();
    const handler = new RemoteHandler(before.script);
    const { service, stop } = await startService(handler, { store });
    const waiting = service.sendMessage(requestOf("hi"), callOf());
    before.say(there, working);
    const id = await storedTask(handler, store);
    isSlow = true;
    before.say(inputRequired);
    before.end();
    await immediate();
    const canceling = service.cancelTask({ id }, callOf());
    handler.resumption = says({ kind: "status", state: "TASK_STATE_CANCELED" });
    await immediate();
    isSlow = false;
    held.say(working);
    assert.equal(modelOf(await canceling).status.state, "TASK_STATE_CANCELED");
    assert.equal(handler.cancels.length, 1);
    assert.equal(handler.resumed.length, 1);
    await waiting;
    await stop();
  });

  it("is cancelled where it lives, also while it waits for its caller", async () => {
    const handler = new RemoteHandler(says(there, inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    handler.resumption = says({
      kind: "status",
      state: "TASK_STATE_CANCELED",
      message: { parts: [{ text: "as you wish" }] },
    });
    const canceled = modelOf(await service.cancelTask({ id, metadata: { why: 1 } }, callOf()));
    assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
    assert.equal(canceled.status.message?.parts[0]?.text, "as you wish");
    assert.deepEqual(handler.cancels, [{ why: 1 }]);
    assert.deepEqual(handler.resumed[0]?.upstream, upstream);
    await stop();
  });

  it("stays as the remote agent ended it when that was faster than the cancel", async () => {
    const handler = new RemoteHandler(says(there, inputRequired));
    const { service, stop } = await startService(handler);
    const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
    handler.resumption = says(completed);
    await assert.rejects(service.cancelTask({ id }, callOf()), { reason: "TASK_NOT_CANCELABLE" });
    await stop();
  });
});

/** The id of the first turn's task, once it is stored. */
async function storedTask(handler: RemoteHandler, store: TaskStore): Promise<string> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const { taskId } = handler.turns[0] ?? { taskId: "" };
    if (await store.load("test", "", taskId)) return taskId;
    await immediate();
  }
  throw new Error("the task is not stored");
}
