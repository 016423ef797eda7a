/** Tasks that are canceled here, at agents that take it well or not. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { HandlerEvent } from "../../../src/core/ports/handler.ts";
import { json, rpc, rpcEvents, silence } from "../../support/fake-agent/answers.ts";
import { held } from "../../support/fake-agent/held.ts";
import { rpcAgent } from "../../support/fake-agent/rpc-agent.ts";
import {
  artifactOf,
  saying,
  snapshot,
  taskIn,
  there,
  update,
} from "../../support/fake-agent/told.ts";
import { handlerOf, resumed, runningTurn, shortOf, told } from "./following.ts";
import { ManualTimers } from "./support.ts";

const working = rpcEvents([snapshot("WORKING")], "silence");
const notCancelable = rpc({ error: { code: -32002, message: "Task cannot be canceled" } });
const notFound = rpc({ error: { code: -32001, message: "Task not found" } });

/** Reads until a state has come, and leaves the rest to be read. */
async function upTo(events: AsyncIterator<HandlerEvent>, short: string): Promise<void> {
  for (let step = await events.next(); shortOf(step.value as HandlerEvent) !== short;)
    step = await events.next();
}

function iteratorOf(events: AsyncIterable<HandlerEvent>): AsyncIterator<HandlerEvent> {
  return events[Symbol.asyncIterator]();
}

function restOf(events: AsyncIterator<HandlerEvent>): AsyncIterable<HandlerEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) };
}

it("ends a task with what the agent answers", async (context) => {
  const message = saying("as you wish");
  const agent = await rpcAgent(context, {
    SendStreamingMessage: working,
    CancelTask: rpc({ result: taskIn("CANCELED", { message }) }),
  });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn, cancel } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  await Promise.all([
    cancel(),
    told(restOf(events)).then((all) => assert.deepEqual(all, ["CANCELED: as you wish"])),
  ]);
  assert.deepEqual(agent.calls("CancelTask"), [{ id: there.taskId }]);
  await agent.quiet();
});

for (const streaming of [true, false])
  it(`waits for the name of a task that has none yet, ${streaming ? "on" : "without"} a stream`, async (context) => {
    const sent = held();
    const method = streaming ? "SendStreamingMessage" : "SendMessage";
    const agent = await rpcAgent(
      context,
      { [method]: sent.script, CancelTask: rpc({ result: taskIn("CANCELED") }) },
      { streaming },
    );
    const handler = await handlerOf(context, { url: agent.url }, new ManualTimers());
    const { turn, cancel } = runningTurn(handler);
    const all = told(handler.handle(turn));
    await agent.called(method);
    await cancel();
    assert.equal(agent.calls("CancelTask").length, 0);
    const first = snapshot("WORKING");
    sent.answer(streaming ? rpcEvents([first], "silence") : rpc({ result: first }));
    assert.deepEqual(await all, ["WORKING", "CANCELED"]);
    await agent.quiet();
  });

it("gives a task up that gets no name", async (context) => {
  const agent = await rpcAgent(context, { SendStreamingMessage: silence });
  const timers = new ManualTimers();
  const handler = await handlerOf(context, { url: agent.url }, timers);
  const { turn, cancel } = runningTurn(handler);
  const all = told(handler.handle(turn));
  await agent.called("SendStreamingMessage");
  await cancel();
  timers.pass(60_000);
  assert.deepEqual(await all, ["!CANCELLED: the turn has ended"]);
  await agent.quiet();
});

it("leaves a task as it ended when the agent was faster", async (context) => {
  const artifacts = [artifactOf("a", "all of it")];
  const agent = await rpcAgent(context, {
    SendStreamingMessage: working,
    CancelTask: notCancelable,
    GetTask: rpc({ result: taskIn("COMPLETED", { artifacts }) }),
  });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn, cancel } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  await cancel();
  assert.deepEqual(await told(restOf(events)), ["a=all of it", "COMPLETED"]);
});

it("is not held up by the pause between two questions", async (context) => {
  const agent = await rpcAgent(
    context,
    {
      SendMessage: rpc({ result: snapshot("WORKING") }),
      CancelTask: notCancelable,
      GetTask: [rpc({ result: taskIn("WORKING") }), rpc({ result: taskIn("COMPLETED") })],
    },
    { streaming: false },
  );
  const timers = new ManualTimers();
  const handler = await handlerOf(context, { url: agent.url }, timers);
  const { turn, cancel } = runningTurn(handler);
  const all = told(handler.handle(turn));
  await agent.called("GetTask");
  await agent.quiet();
  while (timers.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await cancel();
  assert.deepEqual(await all, ["WORKING", "COMPLETED"]);
});

it("does not come in the way of an end that is on its way", async (context) => {
  const canceling = held();
  const stream = held();
  const agent = await rpcAgent(context, {
    SendStreamingMessage: (response, received) => {
      working(response, received);
      stream.script(response, received);
    },
    CancelTask: canceling.script,
    GetTask: rpc({ result: taskIn("COMPLETED") }),
  });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn, cancel } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  const canceled = cancel();
  await agent.called("CancelTask");
  stream.answer((response, { body }) => {
    const { id } = JSON.parse(body) as { id: string };
    const result = update("COMPLETED", "done");
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  });
  assert.deepEqual(await told(restOf(events)), ["COMPLETED: done"]);
  canceling.answer(notCancelable);
  await canceled.catch(() => undefined);
  await agent.quiet();
});

it("of a task that waits for its caller reaches the agent", async (context) => {
  const agent = await rpcAgent(context, {
    SubscribeToTask: silence,
    CancelTask: rpc({ result: taskIn("CANCELED") }),
  });
  const handler = await handlerOf(context, { url: agent.url });
  const task = { ...taskIn("INPUT_REQUIRED"), id: "task-1" };
  const { turn, cancel } = runningTurn(handler, { upstream: there, task });
  const all = told(resumed(handler, turn));
  await cancel();
  assert.deepEqual(await all, ["CANCELED"]);
  await agent.quiet();
});

it("ends the turn of a task that the agent no longer knows", async (context) => {
  const agent = await rpcAgent(context, { SendStreamingMessage: working, CancelTask: notFound });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn, cancel } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  await cancel();
  assert.deepEqual(await told(restOf(events)), []);
  await agent.quiet();
});

for (const [name, script] of [
  ["ignores it", rpc({ result: taskIn("WORKING") })],
  ["cannot do it", rpc({ error: { code: -32004, message: "not here" } })],
  ["cannot be reached for it", json({}, 502)],
] as const)
  it(`is followed, where the agent ${name}, until the turn has ended here`, async (context) => {
    const agent = await rpcAgent(context, {
      SendStreamingMessage: working,
      CancelTask: script,
      GetTask: rpc({ result: taskIn("WORKING") }),
    });
    const handler = await handlerOf(context, { url: agent.url });
    const { turn, cancel } = runningTurn(handler);
    const events = iteratorOf(handler.handle(turn));
    await upTo(events, "WORKING");
    await cancel().catch(() => undefined);
    await upTo(events, `at ${there.taskId}`);
    await upTo(events, `at ${there.taskId}`);
    await events.return?.();
    await agent.quiet();
    const asked = agent.calls("GetTask").length;
    assert.ok(asked >= 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(agent.calls("GetTask").length, asked);
  });

it("is not what the end of a turn is: the agent works on", async (context) => {
  const agent = await rpcAgent(context, { SendStreamingMessage: working });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn, abort } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  abort();
  assert.deepEqual(await told(restOf(events)), []);
  await agent.quiet();
  assert.equal(agent.calls("CancelTask").length, 0);
});

it("is not what a stop is: turns end, and nobody is asked again", async (context) => {
  const agent = await rpcAgent(context, { SendStreamingMessage: working });
  const handler = await handlerOf(context, { url: agent.url });
  const { turn } = runningTurn(handler);
  const events = iteratorOf(handler.handle(turn));
  await upTo(events, "WORKING");
  await handler.close?.();
  assert.deepEqual(await told(restOf(events)), []);
  await agent.quiet();
  const all = await told(handler.handle(runningTurn(handler).turn));
  assert.deepEqual(all, ["!UNAVAILABLE: the agent is no longer called"]);
});
