/** Webhooks that the SDK's client registers; what they are told is a task in the SDK's own form. */
import assert from "node:assert/strict";
import { openReceiver, told } from "../receiver.mjs";
import { send, textOf } from "../requests.mjs";

const TOKEN = "the token";
const CREDENTIALS = "the-credentials";

export async function webhookChecks(client, check) {
  const receiver = await openReceiver();
  const config = (hook, id = "hook") => ({
    id,
    url: hook.url,
    token: TOKEN,
    authentication: { schemes: ["Bearer"], credentials: CREDENTIALS },
  });
  const sendWith = (hook, text) =>
    client.sendMessage(send(text, { configuration: { pushNotificationConfig: config(hook) } }));
  const set = (taskId, hook, id) =>
    client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: config(hook, id) });
  const address = (id) => ({ id, pushNotificationConfigId: "hook" });

  await check("a webhook that comes with a message is told the whole task, in order", async () => {
    const hook = receiver.open();
    const { id, contextId } = await sendWith(hook, "chunks");
    const tasks = tasksIn(await told(hook, isDone));
    for (const task of tasks)
      assert.deepEqual([task.kind, task.id, task.contextId], ["task", id, contextId]);
    assert.deepEqual(statesOf(tasks), ["submitted", "working", "completed"]);
    assert.equal(artifactIn(tasks), "one two three");
    assert.equal(tasks[0].history[0].parts[0].text, "chunks");
  });

  await check(
    "a webhook has its token, its credentials and the version in the headers",
    async () => {
      const hook = receiver.open();
      const { id } = await sendWith(hook, "chunks");
      const received = await told(hook, isDone);
      for (const { headers } of received) {
        assert.equal(headers["x-a2a-notification-token"], TOKEN);
        assert.equal(headers.authorization, `Bearer ${CREDENTIALS}`);
        assert.equal(headers["content-type"], "application/json");
        assert.equal(headers["a2a-version"], "0.3");
        assert.match(headers["a2a-delivery-id"], new RegExp(`^${id}\\.\\d+\\.hook$`));
      }
    },
  );

  await check("a webhook that fails at first is told the same again", async () => {
    const hook = receiver.open(1);
    await sendWith(hook, "chunks");
    const [first, second] = await told(hook, isDone);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers["a2a-delivery-id"], first.headers["a2a-delivery-id"]);
  });

  await check(
    "CreateTaskPushNotificationConfig: a later webhook is told what follows",
    async () => {
      const hook = receiver.open();
      const { id } = await client.sendMessage(send("ask"));
      const created = await set(id, hook);
      assert.deepEqual([created.taskId, created.pushNotificationConfig.url], [id, hook.url]);
      await client.sendMessage(send("answer Paris", { taskId: id }));
      const tasks = tasksIn(await told(hook, isDone));
      for (const task of tasks) assert.equal(task.id, id);
      assert.equal(artifactIn(tasks), "Paris");
    },
  );

  await check("GetTaskPushNotificationConfig and its list answer what was registered", async () => {
    const hook = receiver.open();
    const { id } = await client.sendMessage(send("ask"));
    await set(id, hook);
    const { taskId, pushNotificationConfig } = await client.getTaskPushNotificationConfig(
      address(id),
    );
    assert.equal(taskId, id);
    const { url, token, authentication } = pushNotificationConfig;
    assert.deepEqual([url, token, authentication.schemes], [hook.url, TOKEN, ["Bearer"]]);
    const listed = await client.listTaskPushNotificationConfig({ id });
    assert.deepEqual(
      listed.map((each) => each.pushNotificationConfig.url),
      [hook.url],
    );
  });

  await check("DeleteTaskPushNotificationConfig: nothing more is told", async () => {
    const [deleted, kept] = [receiver.open(), receiver.open()];
    const { id } = await client.sendMessage(send("ask"));
    await set(id, deleted);
    await set(id, kept, "kept");
    await client.deleteTaskPushNotificationConfig(address(id));
    await assert.rejects(client.getTaskPushNotificationConfig(address(id)));
    await client.sendMessage(send("answer Paris", { taskId: id }));
    await told(kept, isDone);
    assert.deepEqual(deleted.received, []);
  });

  receiver.close();
}

const tasksIn = (received) => received.map(({ body }) => body);
const isDone = (received) => received.some(({ body }) => body.status.state === "completed");
const artifactIn = (tasks) => textOf(tasks.at(-1).artifacts[0].parts);

/** The states in order, each once in a row. */
function statesOf(tasks) {
  const states = tasks.map(({ status }) => status.state);
  return states.filter((state, index) => state !== states[index - 1]);
}
