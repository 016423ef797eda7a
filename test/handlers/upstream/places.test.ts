/** Which calls are made again, and where: an agent that is reached at several addresses. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { json, reset, rpc, rpcEvents } from "../../support/fake-agent/answers.ts";
import { rpcAgent, type Scripts } from "../../support/fake-agent/rpc-agent.ts";
import { snapshot, taskIn, there } from "../../support/fake-agent/told.ts";
import { turnOf } from "../turns.ts";
import { handlerOf, resumed, told } from "./following.ts";

const notFound = rpc({ error: { code: -32001, message: "Task not found" } });
const completed = rpc({ result: taskIn("COMPLETED") });
const working = rpc({ result: taskIn("WORKING") });

/** The same agent twice; the second address knows none of the tasks of the first. */
async function twice(context: TestContext, scripts: Scripts) {
  const first = await rpcAgent(context, scripts, { streaming: false });
  const second = await rpcAgent(
    context,
    { SendMessage: rpc({ result: { task: taskIn("WORKING") } }), GetTask: notFound },
    { streaming: false },
  );
  const urls = [first.url, second.url];
  const handler = await handlerOf(context, { urls, retries: { attempts: 1 } });
  return { first, second, handler };
}

test("a task stays where it was begun, also while that cannot be reached", async (context) => {
  const { second, handler } = await twice(context, {
    SendMessage: rpc({ result: { task: taskIn("WORKING") } }),
    GetTask: [working, reset, json({}, 503, { "retry-after": "1" }), completed],
  });
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
  assert.equal(second.calls("SendMessage").length, 0);
});

test("a task is found where it is after a restart", async (context) => {
  const { first, second, handler } = await twice(context, { GetTask: notFound });
  const other = { ...turnOf("hi"), upstream: there };
  assert.deepEqual(await told(resumed(handler, other)), [
    "!TASK_NOT_FOUND: the agent no longer knows the task",
  ]);
  assert.equal(first.calls("GetTask").length, 1);
  assert.equal(second.calls("GetTask").length, 1);
});

test("a task is lost only when nobody knows it who could", async (context) => {
  const { handler } = await twice(context, { GetTask: [reset, reset, completed] });
  const turn = { ...turnOf("hi"), upstream: there };
  assert.deepEqual(await told(resumed(handler, turn)), ["COMPLETED"]);
});

test("a message is sent once where the agent may have seen it", async (context) => {
  const agent = await rpcAgent(context, { SendStreamingMessage: reset });
  const handler = await handlerOf(context, { url: agent.url });
  const all = await told(handler.handle(turnOf("hi")));
  assert.deepEqual(all, ["!UNAVAILABLE: the agent cut the connection"]);
  assert.equal(agent.calls("SendStreamingMessage").length, 1);
});

test("a message is sent again where the agent did not take it", async (context) => {
  const agent = await rpcAgent(context, {
    SendStreamingMessage: [json({}, 429), rpcEvents([snapshot("COMPLETED")])],
  });
  const handler = await handlerOf(context, { url: agent.url });
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["COMPLETED"]);
});

test("a stream that falls silent is taken up again", async (context) => {
  const agent = await rpcAgent(context, {
    SendStreamingMessage: rpcEvents([snapshot("WORKING")], "silence"),
    SubscribeToTask: rpcEvents([snapshot("COMPLETED")]),
  });
  const handler = await handlerOf(context, { url: agent.url, idleTimeout: 20 });
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["WORKING", "COMPLETED"]);
});
