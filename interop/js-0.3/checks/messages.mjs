import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { byId, get, send, textOf } from "../requests.mjs";

export async function messageChecks(client, check, binding) {
  await check("SendMessage answers with a message", async () => {
    const message = await client.sendMessage(send("hello"));
    assert.equal(message.kind, "message");
    assert.equal(textOf(message.parts), "hello back");
    assert.equal(message.role, "agent");
    assert.ok(message.messageId);
  });

  await check("SendMessage answers with a finished task", async () => {
    const text = "grüße an alle 🙂";
    const task = await client.sendMessage(send(text));
    assert.equal(task.kind, "task");
    assert.equal(task.status.state, "completed");
    assert.equal(textOf(task.artifacts[0].parts), text);
    assert.equal(textOf(task.history[0].parts), text);
    assert.ok(task.id && task.contextId && task.status.timestamp);
  });

  await check("SendMessage keeps the contextId of its caller", async () => {
    const contextId = `ctx-${randomUUID()}`;
    assert.equal((await client.sendMessage(send("a", { contextId }))).contextId, contextId);
    assert.equal((await client.sendMessage(send("b", { contextId }))).contextId, contextId);
  });

  await check("SendMessage with historyLength cuts the history", async () => {
    const { id: taskId } = await client.sendMessage(send("ask"));
    const configuration = { historyLength: 1 };
    const task = await client.sendMessage(send("more", { taskId, configuration }));
    assert.equal(task.history.length, 1);
  });

  // On HTTP+JSON and gRPC this SDK leaves out a `blocking` that is false.
  if (binding === "JSONRPC")
    await check("SendMessage with blocking false answers a task under way", async () => {
      const task = await client.sendMessage(send("slow", { configuration: { blocking: false } }));
      assert.match(task.status.state, /^(submitted|working)$/);
      assert.equal((await client.getTask(get(task.id))).id, task.id);
      await client.cancelTask(byId(task.id));
    });

  await check("SendMessage continues a task that needs input", async () => {
    const asked = await client.sendMessage(send("ask"));
    assert.equal(asked.status.state, "input-required");
    assert.equal(textOf(asked.status.message.parts), "which city?");
    const { id: taskId, contextId } = asked;
    const more = await client.sendMessage(send("more", { taskId, contextId }));
    assert.equal(more.status.state, "input-required");
    const done = await client.sendMessage(send("answer Paris", { taskId }));
    assert.equal(done.id, taskId);
    assert.equal(done.contextId, contextId);
    assert.equal(done.status.state, "completed");
    assert.equal(textOf(done.artifacts[0].parts), "Paris");
    const asks = done.history.filter((message) => message.role === "user");
    assert.deepEqual(
      asks.map((message) => textOf(message.parts)),
      ["ask", "more", "answer Paris"],
    );
  });

  await check("SendMessage answers a task that failed, and one that was rejected", async () => {
    const failed = await client.sendMessage(send("fail"));
    assert.equal(failed.status.state, "failed");
    assert.equal(textOf(failed.status.message.parts), "broken on purpose");
    assert.equal((await client.sendMessage(send("reject"))).status.state, "rejected");
  });
}
