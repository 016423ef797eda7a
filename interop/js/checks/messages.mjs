import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Role } from "@a2a-js/sdk";
import { byId, get, send, stateOf, textOf } from "../requests.mjs";

export async function messageChecks(client, check, { binding, version }) {
  /** On these the SDK leaves out what is false, zero or the name of a file. */
  const lossy = version === "0.3" && binding !== "JSONRPC";

  await check("SendMessage answers with a message", async () => {
    const message = await client.sendMessage(send("hello"));
    assert.equal(textOf(message.parts), "hello back");
    assert.equal(message.role, Role.ROLE_AGENT);
    assert.ok(message.messageId);
  });

  await check("SendMessage answers with a finished task", async () => {
    const text = "grüße an alle 🙂";
    const task = await client.sendMessage(send(text));
    assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
    assert.equal(textOf(task.artifacts[0].parts), text);
    assert.equal(textOf(task.history[0].parts), text);
    assert.ok(task.id && task.contextId && task.status.timestamp);
  });

  await check("SendMessage keeps the contextId of its caller", async () => {
    const contextId = `ctx-${randomUUID()}`;
    assert.equal((await client.sendMessage(send("a", { contextId }))).contextId, contextId);
    assert.equal((await client.sendMessage(send("b", { contextId }))).contextId, contextId);
  });

  if (!lossy) {
    await check("SendMessage with historyLength 0 leaves the history out", async () => {
      const task = await client.sendMessage(send("a", { configuration: { historyLength: 0 } }));
      assert.deepEqual(task.history, []);
    });

    await check("SendMessage with returnImmediately answers a task under way", async () => {
      const configuration = { returnImmediately: true };
      const task = await client.sendMessage(send("slow", { configuration }));
      assert.match(stateOf(task), /SUBMITTED|WORKING/);
      assert.equal((await client.getTask(get(task.id))).id, task.id);
      await client.cancelTask(byId(task.id));
    });
  }

  await check("SendMessage continues a task that needs input", async () => {
    const asked = await client.sendMessage(send("ask"));
    assert.equal(stateOf(asked), "TASK_STATE_INPUT_REQUIRED");
    assert.equal(textOf(asked.status.message.parts), "which city?");
    const { id: taskId, contextId } = asked;
    const more = await client.sendMessage(send("more", { taskId, contextId }));
    assert.equal(stateOf(more), "TASK_STATE_INPUT_REQUIRED");
    const done = await client.sendMessage(send("answer Paris", { taskId }));
    assert.equal(done.id, taskId);
    assert.equal(done.contextId, contextId);
    assert.equal(stateOf(done), "TASK_STATE_COMPLETED");
    assert.equal(textOf(done.artifacts[0].parts), "Paris");
    const asks = done.history.filter((message) => message.role === Role.ROLE_USER);
    assert.deepEqual(
      asks.map((message) => textOf(message.parts)),
      ["ask", "more", "answer Paris"],
    );
  });

  await check("SendMessage carries bytes and structured data", async () => {
    const file = (await client.sendMessage(send("file"))).artifacts[0].parts[0];
    assert.deepEqual(Buffer.from(file.content.value), Buffer.from("tick\0"));
    if (!lossy) assert.equal(file.filename, "tick.txt");
    assert.equal(file.mediaType, "text/plain");
    const data = (await client.sendMessage(send("data"))).artifacts[0].parts[0];
    assert.deepEqual(data.content.value, {
      key: "value",
      count: 42,
      nothing: null,
      list: [1, "two"],
    });
  });

  await check("SendMessage answers a task that failed, and one that was rejected", async () => {
    const failed = await client.sendMessage(send("fail"));
    assert.equal(stateOf(failed), "TASK_STATE_FAILED");
    assert.equal(textOf(failed.status.message.parts), "broken on purpose");
    assert.equal(stateOf(await client.sendMessage(send("reject"))), "TASK_STATE_REJECTED");
  });
}
