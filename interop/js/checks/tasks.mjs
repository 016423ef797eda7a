import assert from "node:assert/strict";
import { Role } from "@a2a-js/sdk";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { errorOf } from "../refusals.mjs";
import { begun, byId, get, send, stateOf, textOf } from "../requests.mjs";

export async function taskChecks(client, check, door) {
  await check("GetTask answers what SendMessage answered", async () => {
    const sent = await client.sendMessage(send("the same"));
    assert.deepEqual(await client.getTask(get(sent.id)), sent);
  });

  await check("GetTask cuts the history to the newest messages", async () => {
    const { id: taskId } = await client.sendMessage(send("ask"));
    await client.sendMessage(send("answer Bonn", { taskId }));
    const texts = async (length) =>
      (await client.getTask(get(taskId, length))).history.map((message) => textOf(message.parts));
    const all = await texts(undefined);
    assert.ok(all.includes("ask") && all.includes("answer Bonn"));
    assert.deepEqual(await texts(100), all);
    assert.deepEqual(await texts(1), all.slice(-1));
    // In the protobuf of 0.3 a length of zero is no length at all.
    assert.deepEqual(await texts(0), door.version === "0.3" && door.binding === "GRPC" ? all : []);
    const task = await client.getTask(get(taskId));
    assert.equal(task.history[0].role, Role.ROLE_USER);
  });

  const again = door.version === "1.0" ? "answers a canceled one again" : "refuses a canceled one";
  await check(`CancelTask stops a task under way, and ${again}`, async () => {
    const id = await begun(client, "slow");
    assert.equal(stateOf(await client.cancelTask(byId(id))), "TASK_STATE_CANCELED");
    assert.equal(stateOf(await client.getTask(get(id))), "TASK_STATE_CANCELED");
    const twice = client.cancelTask(byId(id));
    if (door.version === "1.0") assert.equal(stateOf(await twice), "TASK_STATE_CANCELED");
    else await assert.rejects(twice, errorOf(door)(TaskNotCancelableError));
  });

  await check("CancelTask cancels a task that waits for input", async () => {
    const { id } = await client.sendMessage(send("ask"));
    assert.equal(stateOf(await client.cancelTask(byId(id))), "TASK_STATE_CANCELED");
  });

  await check("CancelTask refuses a finished task and one that is not there", async () => {
    const { id } = await client.sendMessage(send("done"));
    await assert.rejects(client.cancelTask(byId(id)), errorOf(door)(TaskNotCancelableError));
    await assert.rejects(client.cancelTask(byId("no-such-task")), errorOf(door)(TaskNotFoundError));
  });
}
