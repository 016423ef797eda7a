/** Tasks at a remote agent, of a gateway that has more than one life. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { serve, temporaryFile, temporaryFolder } from "../cli/command.ts";
import { openDoors } from "../support/doors.ts";
import { json, rpc, rpcEvents } from "../support/fake-agent/answers.ts";
import { held } from "../support/fake-agent/held.ts";
import { rpcAgent } from "../support/fake-agent/rpc-agent.ts";
import {
  artifactOf,
  chunk,
  snapshot,
  taskIn as toldTask,
  there,
  update,
  whole,
} from "../support/fake-agent/told.ts";
import { runGateway } from "../support/gateway.ts";
import { artifactTexts, asTask, atOnce, drained, messageOf, shortOf, taskIn } from "./requests.ts";

// A kill, in the middle of a stream.
test("a stream that a kill cut is taken up again, and nothing is lost or doubled", async (t) => {
  const agent = await rpcAgent(t, {
    SendStreamingMessage: rpcEvents([snapshot("WORKING"), whole("one "), chunk("two ")], "silence"),
    SubscribeToTask: rpcEvents([
      snapshot("WORKING", { artifacts: [artifactOf("a", "one two ", "three ")] }),
      chunk("four"),
      update("COMPLETED"),
    ]),
  });
  const config = {
    listen: "127.0.0.1:0",
    database: "gateway.db",
    ops: { listen: "off" },
    agents: { agent: { name: "A", description: "A", upstream: agent.url } },
  };
  const file = await temporaryFile(t, "config.yaml", JSON.stringify(config));
  const first = await serve(t, [file]);
  const [door] = openDoors(Number(new URL(first.url).port));
  const { id } = taskIn(await door.call("sendMessage", atOnce("go")));
  while (artifactTexts(asTask(await door.call("getTask", { id })))[0] !== "one two ");
  first.child.kill("SIGKILL");
  await first.ended;

  const second = await serve(t, [file]);
  const doors = openDoors(Number(new URL(second.url).port));
  await agent.called("SubscribeToTask");
  for (const reader of doors) {
    let task = asTask(await reader.call("getTask", { id }));
    while (task.status.state === "TASK_STATE_WORKING")
      task = asTask(await reader.call("getTask", { id }));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(artifactTexts(task), ["one two three four"]);
    reader.close();
  }
  assert.deepEqual(agent.calls("SubscribeToTask"), [{ id: there.taskId }]);
});

test("a task of an agent that does not stream is asked for again, also while it is away", async (t) => {
  const folder = await temporaryFolder(t);
  const last = held();
  const agent = await rpcAgent(
    t,
    {
      SendMessage: rpc({ result: { task: toldTask("WORKING") } }),
      GetTask: [rpc({ result: toldTask("WORKING") }), json({}, 503), json({}, 502), last.script],
    },
    { streaming: false },
  );
  const upstream = { url: agent.url, poll: { interval: "5ms", max: "5ms" } };
  const agents = { agent: { settings: { upstream } } };
  const first = await runGateway({ agents, folder });
  const { id } = taskIn(await first.doors[0].call("sendMessage", atOnce("go")));
  await agent.called("GetTask");
  await first.stop();

  const second = await runGateway({ agents, folder });
  t.after(() => second.stop());
  const following = drained(second.doors[2].stream("subscribeToTask", { id }));
  await agent.called("GetTask", 4);
  const artifacts = [artifactOf("a", "all")];
  const result = toldTask("COMPLETED", { artifacts });
  // The turn of the first life may have asked once more before its end.
  last.answer(rpc({ result }));
  last.answer(rpc({ result }));
  const events = await following;
  assert.deepEqual(events.map(shortOf).slice(-2), ["artifact all", "status COMPLETED"]);
  await second.stop();
  const store = await openTaskStore({ file: second.database });
  const places = await store.upstreamsOf([id]);
  await store.close();
  assert.deepEqual(places.get(id), there);
});

test("a task that waits for an authorization is followed after a restart, for it may go on by itself", async (t) => {
  const folder = await temporaryFolder(t);
  const agent = await rpcAgent(t, {
    SendStreamingMessage: rpcEvents([snapshot("WORKING"), update("AUTH_REQUIRED")], "silence"),
    SubscribeToTask: rpcEvents([snapshot("AUTH_REQUIRED"), whole("in"), update("COMPLETED")]),
  });
  const agents = { agent: { settings: { upstream: agent.url } } };
  const first = await runGateway({ agents, folder });
  const task = taskIn(await first.doors[0].call("sendMessage", messageOf("go")));
  assert.equal(task.status.state, "TASK_STATE_AUTH_REQUIRED");
  await first.stop();

  const second = await runGateway({ agents, folder });
  t.after(() => second.stop());
  const now = async () => asTask(await second.doors[0].call("getTask", { id: task.id }));
  while ((await now()).status.state !== "TASK_STATE_COMPLETED");
  assert.deepEqual(artifactTexts(await now()), ["in"]);
});
