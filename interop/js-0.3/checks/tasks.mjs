import assert from "node:assert/strict";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/client";
import { begun, byId, get, send, textOf } from "../requests.mjs";

export async function taskChecks(client, check, binding) {
  await check("GetTask answers what SendMessage answered", async () => {
    const sent = await client.sendMessage(send("the same"));
    assert.deepEqual(await client.getTask(get(sent.id)), sent);
  });

  await check("GetTask cuts the history to the newest messages", async () => {
    const { id: taskId } = await client.sendMessage(send("ask"));
    await client.sendMessage(send("answer Bonn", { taskId }));
    const texts = async (length) =>
      ((await client.getTask(get(taskId, length))).history ?? []).map(({ parts }) => textOf(parts));
    const all = await texts(undefined);
    assert.ok(all.includes("ask") && all.includes("answer Bonn"));
    assert.deepEqual(await texts(100), all);
    assert.deepEqual(await texts(1), all.slice(-1));
    // In the protobuf of 0.3 a length of zero is no length at all.
    assert.deepEqual(await texts(0), binding === "GRPC" ? all : []);
  });

  await check("CancelTask stops a task under way, and refuses a canceled one", async () => {
    const id = await begun(client, "slow");
    assert.equal((await client.cancelTask(byId(id))).status.state, "canceled");
    assert.equal((await client.getTask(get(id))).status.state, "canceled");
    await assert.rejects(client.cancelTask(byId(id)), TaskNotCancelableError);
  });

  await check("CancelTask cancels a task that waits for input", async () => {
    const { id } = await client.sendMessage(send("ask"));
    assert.equal((await client.cancelTask(byId(id))).status.state, "canceled");
  });

  await check("CancelTask refuses a finished task and one that is not there", async () => {
    const { id } = await client.sendMessage(send("done"));
    await assert.rejects(client.cancelTask(byId(id)), TaskNotCancelableError);
    await assert.rejects(client.cancelTask(byId("no-such-task")), TaskNotFoundError);
  });
}
