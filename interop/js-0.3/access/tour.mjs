/** Every operation once, as somebody who is let in. */
import assert from "node:assert/strict";
import { byId, collect, get, send, story } from "../requests.mjs";

export async function tour(client) {
  const sent = await client.sendMessage(send("hello"));
  assert.equal(sent.status.state, "completed");
  assert.equal((await client.getTask(get(sent.id))).id, sent.id);
  const events = await collect(client.sendMessageStream(send("hello")));
  assert.equal(story(events).states.at(-1), "completed");
  const { id } = await client.sendMessage(send("ask"));
  const { value } = await client.resubscribeTask(byId(id)).next();
  assert.equal(value.id, id);
  await pushTour(client, id);
  assert.equal((await client.cancelTask(byId(id))).status.state, "canceled");
  const card = await client.getAgentCard();
  assert.equal(card.description, "Seen by those who ask for more");
}

async function pushTour(client, id) {
  const hook = { id, pushNotificationConfigId: "hook" };
  const pushNotificationConfig = { id: "hook", url: "http://127.0.0.1:9/hook" };
  await client.setTaskPushNotificationConfig({ taskId: id, pushNotificationConfig });
  const found = await client.getTaskPushNotificationConfig(hook);
  assert.equal(found.pushNotificationConfig.url, pushNotificationConfig.url);
  assert.equal((await client.listTaskPushNotificationConfig({ id })).length, 1);
  await client.deleteTaskPushNotificationConfig(hook);
}
