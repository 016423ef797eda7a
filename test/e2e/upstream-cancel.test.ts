/** A cancel through the doors, of tasks at a remote agent. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { refused } from "../support/doors.ts";
import { rpc, rpcEvents } from "../support/fake-agent/answers.ts";
import { held } from "../support/fake-agent/held.ts";
import { rpcAgent, type RpcAgent, type Scripts } from "../support/fake-agent/rpc-agent.ts";
import { artifactOf, saying, snapshot, taskIn as toldTask } from "../support/fake-agent/told.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { artifactTexts, asTask, atOnce, drained, messageOf, shortOf, taskIn } from "./requests.ts";

const working = rpcEvents([snapshot("WORKING")], "silence");
const notCancelable = rpc({ error: { code: -32002, message: "Task cannot be canceled" } });

async function started(
  t: TestContext,
  scripts: Scripts,
  settings: object = {},
): Promise<{ agent: RpcAgent; gateway: RunningGateway }> {
  const agent = await rpcAgent(t, scripts);
  const upstream = { url: agent.url, health: { interval: "off" }, poll: { interval: "5ms" } };
  const agents = { agent: { settings: { upstream, ...settings } } };
  const gateway = await runGateway({ agents });
  t.after(() => gateway.stop());
  return { agent, gateway };
}

test("ends the task where it is, and tells everybody what the agent said", async (t) => {
  const canceled = toldTask("CANCELED", { message: saying("as you wish") });
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: working,
    CancelTask: rpc({ result: canceled }),
  });
  for (const door of gateway.doors) {
    const { id } = taskIn(await door.call("sendMessage", atOnce("go")));
    const following = drained(door.stream("subscribeToTask", { id }));
    const task = asTask(await door.call("cancelTask", { id }));
    assert.equal(task.status.state, "TASK_STATE_CANCELED");
    assert.equal(task.status.message?.parts[0]?.text, "as you wish");
    assert.equal((await following).map(shortOf).at(-1), "status CANCELED");
  }
  await agent.quiet();
});

test("of a task that nobody has named yet reaches the agent once it has", async (t) => {
  const sent = held();
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: sent.script,
    CancelTask: rpc({ result: toldTask("CANCELED") }),
  });
  const [door] = gateway.doors;
  const { id, status } = taskIn(await door.call("sendMessage", atOnce("go")));
  assert.equal(status.state, "TASK_STATE_SUBMITTED");
  const canceling = door.call("cancelTask", { id });
  sent.answer(working);
  assert.equal(asTask(await canceling).status.state, "TASK_STATE_CANCELED");
  assert.equal(agent.calls("CancelTask").length, 1);
  await agent.quiet();
});

test("is refused when the task was completed before", async (t) => {
  const completed = toldTask("COMPLETED", { artifacts: [artifactOf("a", "all of it")] });
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: working,
    CancelTask: notCancelable,
    GetTask: rpc({ result: completed }),
  });
  for (const door of gateway.doors) {
    const { id } = taskIn(await door.call("sendMessage", atOnce("go")));
    await refused(door, door.call("cancelTask", { id }), "TASK_NOT_CANCELABLE");
    const task = asTask(await door.call("getTask", { id }));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(artifactTexts(task), ["all of it"]);
  }
  await agent.quiet();
});

for (const [name, script] of [
  ["ignores it", rpc({ result: toldTask("WORKING") })],
  ["cannot cancel", notCancelable],
] as const)
  test(`ends the task here after a while where the agent ${name}, which is then left alone`, async (t) => {
    const { agent, gateway } = await started(
      t,
      {
        SendStreamingMessage: working,
        CancelTask: script,
        GetTask: rpc({ result: toldTask("WORKING") }),
      },
      { cancelGrace: "20ms" },
    );
    const [door] = gateway.doors;
    const { id } = taskIn(await door.call("sendMessage", atOnce("go")));
    const task = asTask(await door.call("cancelTask", { id }));
    assert.equal(task.status.state, "TASK_STATE_CANCELED");
    await agent.quiet();
  });

test("of a task that waits for its caller reaches the agent", async (t) => {
  const { agent, gateway } = await started(t, {
    SendStreamingMessage: rpcEvents([snapshot("INPUT_REQUIRED", { message: saying("what?") })]),
    SubscribeToTask: rpcEvents(
      [snapshot("INPUT_REQUIRED", { message: saying("what?") })],
      "silence",
    ),
    CancelTask: rpc({ result: toldTask("CANCELED") }),
  });
  const [door] = gateway.doors;
  const { id } = taskIn(await door.call("sendMessage", messageOf("go")));
  const task = asTask(await door.call("cancelTask", { id }));
  assert.equal(task.status.state, "TASK_STATE_CANCELED");
  assert.equal(agent.calls("CancelTask").length, 1);
  await agent.quiet();
});
