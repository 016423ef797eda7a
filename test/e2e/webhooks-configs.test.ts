/** Webhooks of tasks, as their owners make, read and delete them on the six doors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { refused } from "../support/doors.ts";
import { sendHttp } from "../support/http-client.ts";
import { completed, inputRequired, says, ScriptedHandler } from "../support/scripted-handler.ts";
import { eachHookDoor, endsIn, LOCAL, stageOf } from "./webhook-stage.ts";
import { refusedBy } from "./webhook-doors.ts";
import type { Hook } from "./webhook-face.ts";
import { DOOR_NAMES } from "./door-names.ts";

const asking = new ScriptedHandler(says(inputRequired));
const stage = stageOf(
  {
    asking: { handler: asking },
    other: { handler: asking },
    done: { handler: new ScriptedHandler(says(completed)) },
    off: { handler: asking, settings: { push: "off" } },
  },
  { ...LOCAL, configsPerTask: 3 },
);

const FULL = { token: "t0", scheme: "Basic", credentials: "dXNlcjpwYXNz" } as const;

async function waitingTask(name: string): Promise<string> {
  const id = await stage().doorOf(name, "asking").send({ text: "hi" });
  assert(id !== undefined);
  return id;
}

eachHookDoor((name) => {
  test("a config is made, read, listed and deleted, and deleted again", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const url = stage().receiver.url("/x");
    const full: Hook = { id: "a", url, ...FULL };
    assert.deepEqual(await door.set(taskId, full), full);
    assert.deepEqual(await door.get(taskId, "a"), full);
    const plain = { id: "b", url };
    assert.deepEqual(await door.set(taskId, plain), plain);
    assert.deepEqual(await door.list(taskId), [full, plain]);

    await door.remove(taskId, "a");
    await refusedBy(door, door.get(taskId, "a"), "TASK_NOT_FOUND");
    await door.remove(taskId, "a");
    assert.deepEqual(await door.list(taskId), [plain]);
  });

  test("a config of one door is the same on all others", async () => {
    const taskId = await waitingTask(name);
    const full: Hook = { id: "a/b ü", url: stage().receiver.url("/x"), ...FULL };
    await stage().doorOf(name, "asking").set(taskId, full);
    for (const other of DOOR_NAMES) {
      const door = stage().doorOf(other, "asking");
      assert.deepEqual(await door.get(taskId, "a/b ü"), full, other);
      assert.deepEqual(await door.list(taskId), [full], other);
    }
  });

  test("a config of the same id takes the place of the one before", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const [old, now] = [stage().path(), stage().path()];
    await door.set(taskId, { id: "a", url: stage().receiver.url(old), ...FULL });
    const plain = { id: "a", url: stage().receiver.url(now) };
    await door.set(taskId, plain);
    assert.deepEqual(await door.list(taskId), [plain]);
    asking.script = says(completed);
    await door.send({ text: "go", taskId });
    asking.script = says(inputRequired);
    const [first] = await stage().receiver.until(now, endsIn("COMPLETED"));
    assert.equal(first?.headers["authorization"], undefined);
    assert.deepEqual(stage().receiver.at(old), []);
  });

  test("a task has as many configs as are allowed, whichever way they come", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const url = stage().receiver.url("/many");
    await door.send({ text: "again", taskId, hook: { id: "0", url } });
    for (const id of ["1", "2"]) await door.set(taskId, { id, url });
    const further = { id: "3", url };
    await refusedBy(door, door.set(taskId, further), "INVALID_PARAMS");
    await refusedBy(door, door.send({ text: "no", taskId, hook: further }), "INVALID_PARAMS");
    await refusedBy(door, door.stream({ text: "no", taskId, hook: further }), "INVALID_PARAMS");
    await door.set(taskId, { id: "2", url, token: "replaced" });
    await door.send({ text: "again", taskId, hook: { id: "1", url, token: "replaced" } });
    assert.deepEqual(
      (await door.list(taskId)).map(({ id, token }) => [id, token]),
      [
        ["0", undefined],
        ["1", "replaced"],
        ["2", "replaced"],
      ],
    );
  });

  test("a task that is not there, or is another agent's, has no configs", async () => {
    const taskId = await waitingTask(name);
    const url = stage().receiver.url("/x");
    await stage().doorOf(name, "asking").set(taskId, { id: "a", url });
    const other = stage().doorOf(name, "other");
    for (const id of [taskId, "01890000-0000-7000-8000-000000000000"]) {
      await refusedBy(other, other.set(id, { id: "a", url }), "TASK_NOT_FOUND");
      await refusedBy(other, other.get(id, "a"), "TASK_NOT_FOUND");
      await refusedBy(other, other.list(id), "TASK_NOT_FOUND");
      await refusedBy(other, other.remove(id, "a"), "TASK_NOT_FOUND");
    }
    assert.equal((await stage().doorOf(name, "asking").list(taskId)).length, 1);
  });

  test("a config of a finished task is kept, and told nothing", async () => {
    const door = stage().doorOf(name, "done");
    const taskId = await door.send({ text: "hi" });
    assert(taskId !== undefined);
    const [silent, loud] = [stage().path(), stage().path()];
    const late = { id: "late", url: stage().receiver.url(silent) };
    await door.set(taskId, late);
    assert.deepEqual(await door.list(taskId), [late]);
    // What is due to it would have come before what is due later.
    await door.send({ text: "hi", hook: { id: "x", url: stage().receiver.url(loud) } });
    await stage().receiver.until(loud, endsIn("COMPLETED"));
    assert.deepEqual(stage().receiver.at(silent), []);
    await door.remove(taskId, "late");
    assert.deepEqual(await door.list(taskId), []);
  });

  test("an agent whose push is off refuses all of it, and a message with a config", async () => {
    const door = stage().doorOf(name, "off");
    const hook = { id: "a", url: stage().receiver.url("/x") };
    for (const answer of [
      () => door.set("t", hook),
      () => door.get("t", "a"),
      () => door.list("t"),
      () => door.remove("t", "a"),
      () => door.send({ text: "hi", hook }),
      () => door.begin({ text: "hi", hook }),
      () => door.stream({ text: "hi", hook }),
    ])
      await refusedBy(door, answer(), "PUSH_NOTIFICATION_NOT_SUPPORTED");
  });

  test("what cannot be called is refused, with the path of the field as the door has it", async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const url = "ftp://example.com/x";
    for (const [hook, field] of [
      [{ url }, "url"],
      [{ url: "https://user:pass@example.com/" }, "url"],
      [{ url: stage().receiver.url("/x"), token: "a\nb" }, "token"],
      [
        { url: stage().receiver.url("/x"), scheme: "no scheme", credentials: "x" },
        door.version === "1.0" ? "authentication.scheme" : "authentication.schemes[0]",
      ],
      [
        { url: stage().receiver.url("/x"), scheme: "Bearer", credentials: "x\u00e9" },
        "authentication.credentials",
      ],
    ] as const)
      for (const [answer, prefix] of [
        [() => door.set(taskId, hook), door.paths.set],
        [() => door.send({ text: "hi", hook }), door.paths.sent],
        [() => door.begin({ text: "hi", hook }), door.paths.sent],
        [() => door.stream({ text: "hi", hook }), door.paths.sent],
        [() => door.send({ text: "hi", taskId, hook }), door.paths.sent],
      ] as const) {
        const { fields, message } = await refusedBy(door, answer(), "INVALID_PARAMS");
        if (door.version === "1.0") assert.deepEqual(fields, [prefix + field]);
        assert.ok(message.includes(`${prefix}${field}: `), message);
      }
    assert.deepEqual(await door.list(taskId), []);
  });
});

for (const name of ["JSON-RPC 0.3", "HTTP+JSON 0.3", "gRPC 0.3"]) {
  test(`a config without an id is found again by one who names none, on ${name}`, async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const url = stage().receiver.url("/x");
    assert.deepEqual(await door.set(taskId, { url }), { id: "default", url });
    await door.set(taskId, { id: "a", url });
    assert.deepEqual(await door.get(taskId), { id: "default", url });
    assert.deepEqual(await door.get(taskId, "default"), { id: "default", url });

    const sent = await door.send({ text: "hi", hook: { url } });
    assert.deepEqual(await door.get(sent ?? ""), { id: "default", url });
  });

  test(`the only config is found by one who names none, of several none is, on ${name}`, async () => {
    const door = stage().doorOf(name, "asking");
    const taskId = await waitingTask(name);
    const hook = { id: "mine", url: stage().receiver.url("/x") };
    await refusedBy(door, door.get(taskId), "TASK_NOT_FOUND");
    await door.set(taskId, hook);
    assert.deepEqual(await door.get(taskId), hook);
    await door.set(taskId, { ...hook, id: "second" });
    await refusedBy(door, door.get(taskId), "TASK_NOT_FOUND");
  });
}

for (const index of [0, 1, 2]) {
  test(`1.0 names what is not named, wants to be told a name, and has pages, at door ${index}`, async () => {
    const door = stage().gateway.doorsOf("asking")[index];
    assert(door);
    const taskId = await waitingTask("JSON-RPC 1.0");
    const url = stage().receiver.url("/x");
    const made = await door.call("createTaskPushNotificationConfig", { taskId, url });
    assert.match(String(made["id"]), /^[0-9a-f-]{36}$/);
    for (const id of ["x", "y"])
      await door.call("createTaskPushNotificationConfig", { taskId, id, url });
    const seen: unknown[] = [];
    let pageToken = "";
    do {
      const page = await door.call("listTaskPushNotificationConfigs", {
        taskId,
        pageSize: 1,
        ...(pageToken && { pageToken }),
      });
      const configs = page["configs"] as { readonly id: string }[];
      assert.equal(configs.length, 1);
      seen.push(...configs.map(({ id }) => id));
      pageToken = (page["nextPageToken"] ?? "") as string;
    } while (pageToken !== "");
    assert.deepEqual(seen, [made["id"], "x", "y"]);
    // A path without a name is that of the list.
    if (door.name !== "HTTP+JSON") {
      const unnamed = door.call("getTaskPushNotificationConfig", { taskId, id: "" });
      await refused(door, unnamed, "INVALID_PARAMS");
    }
    const backwards = door.call("listTaskPushNotificationConfigs", { taskId, pageSize: -1 });
    assert.deepEqual((await refused(door, backwards, "INVALID_PARAMS")).fields, ["pageSize"]);
  });
}

test("HTTP+JSON takes the flat config of 1.0, and no wrapped one", async () => {
  const taskId = await waitingTask("HTTP+JSON 1.0");
  const { port } = stage().gateway;
  const post = (body: object, id = taskId) =>
    sendHttp(port, {
      method: "POST",
      path: `/a2a/asking/tasks/${id}/pushNotificationConfigs`,
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify(body),
    });
  const flat = {
    id: "f",
    url: stage().receiver.url("/x"),
    token: "t",
    authentication: { scheme: "Bearer", credentials: "c" },
  };
  const answer = await post(flat);
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.text), { taskId, ...flat });
  for (const body of [
    { config: flat },
    { pushNotificationConfig: flat },
    { configId: "f", config: { pushNotificationConfig: flat } },
    { ...flat, taskId: "another" },
  ])
    assert.equal((await post(body)).status, 400, JSON.stringify(body));
  const list = await sendHttp(port, {
    path: `/a2a/asking/tasks/${taskId}/pushNotificationConfigs`,
    headers: { "a2a-version": "1.0" },
  });
  assert.deepEqual(JSON.parse(list.text), { configs: [{ taskId, ...flat }] });
});

test("the card says whether an agent's tasks have webhooks", async () => {
  for (const [agent, expected] of [
    ["asking", true],
    ["off", false],
  ] as const)
    for (const version of ["1.0", "0.3"]) {
      const { text } = await sendHttp(stage().gateway.port, {
        path: `/a2a/${agent}/.well-known/agent-card.json`,
        headers: { "a2a-version": version },
      });
      const { capabilities } = JSON.parse(text) as {
        readonly capabilities: { readonly pushNotifications?: boolean };
      };
      assert.equal(capabilities.pushNotifications ?? false, expected, `${agent} ${version}`);
    }
});
