/** A remote agent that crashes with many tasks at work, and comes back: with settings as they are when nobody sets any. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { Refusal } from "../support/doors.ts";
import { rpcOf } from "../support/fake-agent/answers.ts";
import { rpcAgent } from "../support/fake-agent/rpc-agent.ts";
import { artifactOf, snapshot, there, update, whole } from "../support/fake-agent/told.ts";
import type { Received } from "../support/fake-agent.ts";
import { runGateway } from "../support/gateway.ts";
import { artifactTexts, asTask, atOnce, messageOf, taskIn } from "./requests.ts";

const TASKS = 60;

/** Of the task of that id. */
function told(id: string, results: readonly object[]): readonly object[] {
  const text = JSON.stringify(results).replaceAll(there.taskId, id);
  return JSON.parse(text) as readonly object[];
}

function writeEvents(response: ServerResponse, { body }: Received, results: readonly object[]) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const result of results)
    response.write(`data: ${JSON.stringify(rpcOf(body, { result }))}\n\n`);
}

test("tasks go on soon after an agent that crashed is back, a few at a time", async (t) => {
  let begun = 0;
  let atOnceMost = 0;
  let underway = 0;
  const agent = await rpcAgent(t, {
    SendStreamingMessage: (response, received) =>
      writeEvents(response, received, told(`u-${++begun}`, [snapshot("WORKING"), whole("one ")])),
    SubscribeToTask: (response, received) => {
      const { id } = (JSON.parse(received.body) as { params: { id: string } }).params;
      const artifacts = [artifactOf("a", "one two")];
      atOnceMost = Math.max(atOnceMost, ++underway);
      setTimeout(() => {
        underway -= 1;
        writeEvents(
          response,
          received,
          told(id, [snapshot("WORKING", { artifacts }), update("COMPLETED")]),
        );
        response.end();
      }, 20);
    },
  });
  const gateway = await runGateway({ agents: { agent: { settings: { upstream: agent.url } } } });
  t.after(() => gateway.stop());
  const [door] = gateway.doors;
  const sent = Array.from({ length: TASKS }, () => door.call("sendMessage", atOnce("go")));
  const ids = (await Promise.all(sent)).map((answer) => taskIn(answer).id);
  const tasks = () =>
    Promise.all(ids.map(async (id) => asTask(await door.call("getTask", { id }))));
  while ((await tasks()).some((task) => artifactTexts(task)[0] !== "one ")) await passed(10);

  await agent.leave();
  // Long enough for the breaker to open.
  const until = Date.now() + 3_000;
  while (Date.now() < until) {
    await passed(50);
    await assert.rejects(door.call("sendMessage", messageOf("go")), Refusal);
  }

  await agent.comeBack();
  const isEnded = async () =>
    (await tasks()).every(({ status }) => status.state === "TASK_STATE_COMPLETED");
  while (!(await isEnded())) await passed(50);
  // Those that take longer than a second keep no others back.
  assert.ok(atOnceMost <= 32, `${atOnceMost} at a time`);
  for (const task of await tasks()) assert.deepEqual(artifactTexts(task), ["one two"]);
  assert.deepEqual(gateway.log.errors, []);
});

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
