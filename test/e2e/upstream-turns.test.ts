/** Several turns of a task at a remote agent, and the names that things have on either side. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Task } from "../../src/protocol/model.ts";
import { refused } from "../support/doors.ts";
import { rpc, rpcEvents, rpcOf } from "../support/fake-agent/answers.ts";
import { held } from "../support/fake-agent/held.ts";
import { rpcAgent, type RpcAgent, type Scripts } from "../support/fake-agent/rpc-agent.ts";
import {
  artifactOf,
  saying,
  snapshot,
  taskIn as toldTask,
  there,
  update,
  whole,
} from "../support/fake-agent/told.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { artifactTexts, asTask, drained, messageOf, nextOf, shortOf, taskIn } from "./requests.ts";

async function started(
  t: TestContext,
  scripts: Scripts,
): Promise<{ agent: RpcAgent; gateway: RunningGateway }> {
  const agent = await rpcAgent(t, scripts);
  const upstream = { url: agent.url, health: { interval: "off" }, poll: { interval: "5ms" } };
  const gateway = await runGateway({ agents: { agent: { settings: { upstream } } } });
  t.after(() => gateway.stop());
  return { agent, gateway };
}

function messageIn(params: Record<string, unknown> | undefined): Partial<Record<string, unknown>> {
  return (params?.["message"] ?? {}) as Partial<Record<string, unknown>>;
}

test("a further message takes over from the turn before, and both callers see the one end", async (t) => {
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: [
      rpcEvents([snapshot("WORKING"), whole("one ")], "silence"),
      rpcEvents([
        snapshot("WORKING", { artifacts: [artifactOf("a", "one two ")] }),
        update("COMPLETED"),
      ]),
    ],
    GetTask: rpc({
      result: toldTask("COMPLETED", { artifacts: [artifactOf("a", "one two three")] }),
    }),
  });
  const [door, , grpc] = gateway.doors;
  const first = door.stream("sendStreamingMessage", messageOf("begin"));
  const { id } = taskIn((await nextOf(first)).response);
  await nextOf(first);
  assert.equal(shortOf(await nextOf(first)), "artifact one ");
  const ended = taskIn(await grpc.call("sendMessage", messageOf("more", { taskId: id })));
  assert.equal(ended.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(artifactTexts(ended), ["one two three"]);
  assert.equal((await drained(first)).map(shortOf).at(-1), "status COMPLETED");
  const [, more] = agent.calls("SendStreamingMessage").map(messageIn);
  assert.equal(more?.["taskId"], there.taskId);
  assert.equal(more?.["contextId"], there.contextId);
  await agent.quiet();
});

test("an agent that waits for credentials is followed until it goes on", async (t) => {
  const stream = held();
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: (response, received) => {
      rpcEvents([snapshot("WORKING"), update("AUTH_REQUIRED", "who?")], "silence")(
        response,
        received,
      );
      stream.script(response, received);
    },
  });
  const [door, rest] = gateway.doors;
  const task = taskIn(await rest.call("sendMessage", messageOf("begin")));
  assert.equal(task.status.state, "TASK_STATE_AUTH_REQUIRED");
  const following = door.stream("subscribeToTask", { id: task.id });
  assert.equal(shortOf(await nextOf(following)), "task AUTH_REQUIRED");
  stream.answer((response, { body }) => {
    for (const result of [update("WORKING"), update("COMPLETED", "done")])
      response.write(`data: ${JSON.stringify(rpcOf(body, { result }))}\n\n`);
  });
  const events = await drained(following);
  assert.deepEqual(events.map(shortOf), ["status WORKING", "status COMPLETED"]);
  await agent.quiet();
});

test("each side knows its own names only", async (t) => {
  const question = { ...saying("which one?"), referenceTaskIds: ["u-elsewhere"] };
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: [
      rpcEvents([snapshot("INPUT_REQUIRED", { message: question, history: [question] })]),
      rpcEvents([snapshot("COMPLETED", { history: [saying("well"), question] })]),
      rpc({ error: { code: -32001, message: `Task not found: ${there.taskId}` } }),
    ],
  });
  const tasks: Task[] = [];
  const [door] = gateway.doors;
  const asked = taskIn(await door.call("sendMessage", messageOf("begin")));
  tasks.push(asked);
  const { id, contextId } = asked;
  assert.equal(contextId, there.contextId);
  tasks.push(taskIn(await door.call("sendMessage", messageOf("this", { taskId: id }))));
  const references = messageOf("again", { referenceTaskIds: [id, "unknown"] });
  const refusal = await refused(door, door.call("sendMessage", references), "TASK_NOT_FOUND");
  assert.equal(refusal.message, `Task not found: ${id}`);
  tasks.push(asTask(await door.call("getTask", { id })));
  assert.doesNotMatch(JSON.stringify(tasks), /u-task|u-elsewhere/);
  assert.deepEqual(
    tasks.at(-1)?.history?.map(({ parts }) => parts[0]?.text),
    ["begin", "which one?", "this", "well"],
  );
  const sent = agent.calls("SendStreamingMessage").map(messageIn);
  assert.deepEqual(
    sent.map((message) => [message["taskId"], message["contextId"], message["referenceTaskIds"]]),
    [
      [undefined, undefined, undefined],
      [there.taskId, there.contextId, undefined],
      [undefined, undefined, [there.taskId]],
    ],
  );
  assert.doesNotMatch(JSON.stringify(agent.received), new RegExp(id));
});
