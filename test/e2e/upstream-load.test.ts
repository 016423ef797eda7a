/** Many events of one task at a remote agent, and many tasks. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { handlerOf } from "../handlers/upstream/following.ts";
import { turnOf } from "../handlers/turns.ts";
import { rpcOf } from "../support/fake-agent/answers.ts";
import { rpcAgent } from "../support/fake-agent/rpc-agent.ts";
import { chunk, snapshot, there, update, whole } from "../support/fake-agent/told.ts";
import type { Script } from "../support/fake-agent.ts";
import { runGateway } from "../support/gateway.ts";
import { artifactTexts, asTask, atOnce, drained, messageOf, taskIn } from "./requests.ts";

/** Events as fast as they are taken; tells how many bytes it has handed over. */
function flood(results: Iterator<object>, written: { bytes: number }): Script {
  return (response, { body }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      for (let step = results.next(); !step.done; step = results.next()) {
        const text = `data: ${JSON.stringify(rpcOf(body, { result: step.value }))}\n\n`;
        written.bytes += text.length;
        if (!response.write(text)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  };
}

function* chunks(count: number): Generator<object> {
  yield snapshot("WORKING");
  yield whole("x");
  for (let index = 1; index < count; index++) yield chunk("x");
  yield update("COMPLETED");
}

test("50,000 events of one task come through, each once", async (t) => {
  const agent = await rpcAgent(t, {
    SendStreamingMessage: flood(chunks(50_000), { bytes: 0 }),
  });
  const upstream = { url: agent.url, health: { interval: "off" } };
  const gateway = await runGateway({ agents: { agent: { settings: { upstream } } } });
  t.after(() => gateway.stop());
  const [door] = gateway.doors;
  const { task } = await door.call("sendMessage", messageOf("go"));
  const { status } = asTask(task as never);
  assert.equal(status.state, "TASK_STATE_COMPLETED");
  const [text = ""] = artifactTexts(asTask(task as never));
  assert.equal(text.length, 50_000);
  await agent.quiet();
});

test("an agent is read no faster than its events are taken", async (t) => {
  const written = { bytes: 0 };
  const agent = await rpcAgent(t, { SendStreamingMessage: flood(chunks(1_000_000), written) });
  const handler = await handlerOf(t, { url: agent.url, maxEvents: 2_000_000 });
  const events = handler.handle(turnOf("hi"))[Symbol.asyncIterator]();
  for (let count = 0; count < 100; count++) await events.next();
  for (let before = -1; before !== written.bytes; await quiet()) before = written.bytes;
  assert.ok(written.bytes < 20_000_000, `${written.bytes} bytes were taken`);
  await events.return?.();
  await agent.quiet();
});

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 1_000; turns++) await immediate();
}

test("200 tasks at a time share 128 connections, and each can be cancelled", async (t) => {
  const open = new Set<ServerResponse>();
  let most = 0;
  let tasks = 0;
  const agent = await rpcAgent(t, {
    SendStreamingMessage: (response, { body }) => {
      open.add(response);
      most = Math.max(most, open.size);
      response.on("close", () => open.delete(response));
      const result = renamed(snapshot("WORKING"), `u-${++tasks}`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(rpcOf(body, { result }))}\n\n`);
    },
    CancelTask: (response, { body }) => {
      const { id } = (JSON.parse(body) as { params: { id: string } }).params;
      const { task } = renamed(snapshot("CANCELED"), id) as { task: object };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(rpcOf(body, { result: task })));
    },
  });
  const upstream = { url: agent.url, health: { interval: "off" } };
  const gateway = await runGateway({ agents: { agent: { settings: { upstream } } } });
  t.after(() => gateway.stop());
  const [door] = gateway.doors;
  const sent = Array.from({ length: 200 }, () => door.call("sendMessage", atOnce("go")));
  const ids = (await Promise.all(sent)).map((answer) => taskIn(answer).id);
  const canceled = await Promise.all(ids.map((id) => door.call("cancelTask", { id })));
  assert.deepEqual(
    new Set(canceled.map((task) => asTask(task).status.state)),
    new Set(["TASK_STATE_CANCELED"]),
  );
  assert.equal(tasks, 200);
  assert.equal(agent.calls("CancelTask").length, 200);
  assert.ok(most <= 128 && agent.connections() > 100, `${most} streams at a time`);
  const listed = await drained(pagesOf());
  assert.equal(listed.length, 200);

  async function* pagesOf(): AsyncGenerator<unknown> {
    const { totalSize } = await door.call("listTasks", { status: "TASK_STATE_CANCELED" });
    for (let count = 0; count < Number(totalSize); count++) yield count;
  }
});

function renamed(result: object, id: string): object {
  return JSON.parse(JSON.stringify(result).replaceAll(there.taskId, id)) as object;
}
