/** Every operation once, as somebody who is let in. */
import assert from "node:assert/strict";
import { byId, collect, get, list, send, stateOf, story } from "../requests.mjs";

export async function tour(client, version) {
  const sent = await client.sendMessage(send("hello"));
  assert.equal(stateOf(sent), "TASK_STATE_COMPLETED");
  assert.equal((await client.getTask(get(sent.id))).id, sent.id);
  const events = await collect(client.sendMessageStream(send("hello")));
  assert.equal(story(events).states.at(-1), "COMPLETED");
  if (version === "1.0") {
    const { tasks } = await client.listTasks(list({}));
    assert.ok(tasks.some(({ id }) => id === sent.id));
  }
  const { id: taskId } = await client.sendMessage(send("ask"));
  const { value } = await client.resubscribeTask(byId(taskId)).next();
  assert.equal(value.payload.value.id, taskId);
  await pushTour(client, taskId);
  assert.equal(stateOf(await client.cancelTask(byId(taskId))), "TASK_STATE_CANCELED");
  const card = await client.getAgentCard();
  assert.equal(card.description, "Seen by those who ask for more");
}

async function pushTour(client, taskId) {
  const hook = { tenant: "", taskId, id: "hook" };
  const url = "http://127.0.0.1:9/hook";
  const created = await client.createTaskPushNotificationConfig({ ...hook, url, token: "" });
  assert.equal(created.url, url);
  assert.equal((await client.getTaskPushNotificationConfig(hook)).url, url);
  const page = { tenant: "", taskId, pageSize: 0, pageToken: "" };
  assert.equal((await client.listTaskPushNotificationConfig(page)).configs.length, 1);
  await client.deleteTaskPushNotificationConfig(hook);
}
