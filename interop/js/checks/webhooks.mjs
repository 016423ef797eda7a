/** Webhooks that the SDK's client registers and of which it reads what they are told. */
import assert from "node:assert/strict";
import { StreamResponse } from "@a2a-js/sdk";
import { legacyPushNotificationToV1StreamResponse } from "@a2a-js/sdk/compat/v0_3";
import { openReceiver, told } from "../receiver.mjs";
import { get, send, stateOf, textOf } from "../requests.mjs";

const TOKEN = "the token";
const CREDENTIALS = "the-credentials";
const TYPES = { "1.0": "application/a2a+json", 0.3: "application/json" };

export async function webhookChecks(client, check, { version }) {
  const receiver = await openReceiver();
  const read = version === "0.3" ? legacyPushNotificationToV1StreamResponse : readEvent;
  const config = (hook, more = {}) => ({
    tenant: "",
    taskId: "",
    id: "hook",
    url: hook.url,
    token: TOKEN,
    authentication: { scheme: "Bearer", credentials: CREDENTIALS },
    ...more,
  });
  const events = ({ received }) => received.map(({ body }) => read(body).payload);
  const isDone = (received) => received.some(({ body }) => isLast(read(body).payload));
  const sendWith = (hook, text) =>
    client.sendMessage(send(text, { configuration: { taskPushNotificationConfig: config(hook) } }));

  await check("a webhook that comes with a message is told the whole task, in order", async () => {
    const hook = receiver.open();
    const { id, contextId } = await sendWith(hook, "chunks");
    await told(hook, isDone);
    const all = events(hook);
    for (const event of all) assert.deepEqual(idsOf(event), [id, contextId]);
    assert.deepEqual(statesOf(all), ["SUBMITTED", "WORKING", "COMPLETED"]);
    assert.equal(artifactIn(all), "one two three");
    const kinds = all.map(({ $case }) => $case);
    const expected = ["task", "statusUpdate", "artifactUpdate", "statusUpdate"];
    assert.deepEqual(onceInARow(kinds), version === "0.3" ? ["task"] : expected);
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
        assert.equal(headers["content-type"], TYPES[version]);
        assert.equal(headers["a2a-version"], version);
        assert.equal(headers["a2a-delivery-attempt"], "1");
      }
      const names = received.map(({ headers }) => headers["a2a-delivery-id"].split("."));
      assert.deepEqual(
        new Set(names.map(([task, , hookId]) => `${task} ${hookId}`)),
        new Set([`${id} hook`]),
      );
      const generations = names.map(([, generation]) => Number(generation));
      assert.deepEqual(
        generations,
        generations.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(generations).size, generations.length);
    },
  );

  await check("a webhook that fails at first is told the same again", async () => {
    const hook = receiver.open(2);
    await sendWith(hook, "chunks");
    const received = await told(hook, isDone);
    const [first, second, third] = received;
    for (const again of [second, third]) {
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers["a2a-delivery-id"], first.headers["a2a-delivery-id"]);
    }
    assert.deepEqual(
      received.slice(0, 4).map(({ headers }) => headers["a2a-delivery-attempt"]),
      ["1", "2", "3", "1"],
    );
  });

  await check(
    "CreateTaskPushNotificationConfig: a later webhook is told the task and what follows",
    async () => {
      const hook = receiver.open();
      const { id, contextId } = await client.sendMessage(send("ask"));
      const created = await client.createTaskPushNotificationConfig(config(hook, { taskId: id }));
      assert.deepEqual([created.taskId, created.id, created.url], [id, "hook", hook.url]);
      await client.sendMessage(send("answer Paris", { taskId: id }));
      await told(hook, isDone);
      const all = events(hook);
      for (const event of all) assert.deepEqual(idsOf(event), [id, contextId]);
      assert.equal(all[0].$case, "task");
      assert.deepEqual(statesOf(all).at(-1), "COMPLETED");
      assert.equal(artifactIn(all), "Paris");
      const task = await client.getTask(get(id));
      assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
    },
  );

  await check(
    "GetTaskPushNotificationConfig and ListTaskPushNotificationConfigs answer what was registered",
    async () => {
      const hook = receiver.open();
      const { id: taskId } = await client.sendMessage(send("ask"));
      await client.createTaskPushNotificationConfig(config(hook, { taskId }));
      const found = await client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" });
      assert.deepEqual(
        [found.taskId, found.id, found.url, found.token],
        [taskId, "hook", hook.url, TOKEN],
      );
      assert.equal(found.authentication?.scheme, "Bearer");
      const { configs } = await client.listTaskPushNotificationConfig({
        tenant: "",
        taskId,
        pageSize: 0,
        pageToken: "",
      });
      assert.deepEqual(
        configs.map(({ id, url }) => [id, url]),
        [["hook", hook.url]],
      );
    },
  );

  await check("DeleteTaskPushNotificationConfig: nothing more is told", async () => {
    const [deleted, kept] = [receiver.open(), receiver.open()];
    const { id: taskId } = await client.sendMessage(send("ask"));
    await client.createTaskPushNotificationConfig(config(deleted, { taskId }));
    await client.createTaskPushNotificationConfig(config(kept, { taskId, id: "kept" }));
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" });
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" });
    await assert.rejects(client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "hook" }));
    await client.sendMessage(send("answer Paris", { taskId }));
    await told(kept, isDone);
    assert.deepEqual(deleted.received, []);
  });

  receiver.close();
}

/** Nothing of the body may be lost on the way through the SDK's type. */
function readEvent(body) {
  const event = StreamResponse.fromJSON(body);
  assert.deepEqual(Object.keys(StreamResponse.toJSON(event)), Object.keys(body));
  return event;
}

const idsOf = ({ $case, value }) => [$case === "task" ? value.id : value.taskId, value.contextId];

const isLast = ({ value }) =>
  value.status !== undefined && stateOf(value) === "TASK_STATE_COMPLETED";

/** The states in order, each once where a task tells it again. */
function statesOf(events) {
  const states = events
    .filter(({ value }) => value.status !== undefined)
    .map(({ value }) => stateOf(value).slice(11));
  return onceInARow(states);
}

function onceInARow(values) {
  return values.filter((value, index) => value !== values[index - 1]);
}

/** The text of the one artifact, as it was told last. */
function artifactIn(events) {
  const texts = events.flatMap(({ $case, value }) => {
    const artifacts =
      $case === "task" ? value.artifacts : $case === "artifactUpdate" ? [value.artifact] : [];
    return artifacts.map(({ parts }) => textOf(parts));
  });
  return texts.at(-1);
}
