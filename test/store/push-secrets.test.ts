import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TaskChange } from "../../src/core/ports/task-store.ts";
import { commitAll, newTask, next } from "./changes.ts";
import {
  deliveryQuery,
  EVERYTHING_DEAD,
  everything,
  openPushStores,
  scopeOf,
  webhook,
  type PushStores,
} from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

const SECRETS = {
  token: "token-in-the-clear",
  authentication: { scheme: "Bearer", credentials: "credentials-in-the-clear" },
};

/** A new task with a webhook that has secrets. */
async function watchedTask({ tasks }: PushStores): Promise<TaskChange> {
  const task = newTask();
  await commitAll(tasks, { ...task, pushConfigs: [webhook(task, SECRETS)] });
  return task;
}

/** What is on the disk under the name of the file, beside the file itself its log of writes. */
async function bytesOf(file: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => join(folder, name).startsWith(file));
  const contents = names.map((name) => readFile(join(folder, name), "latin1"));
  return (await Promise.all(contents)).join("");
}

const secretsOf = async (stores: PushStores, task: TaskChange) => {
  const config = await stores.configs.find(scopeOf(task), "hook");
  return { token: config?.token, authentication: config?.authentication };
};

const UNREADABLE = {
  reason: "UNAVAILABLE",
  message: 'the secrets of push notification config "hook" cannot be read',
};

test("writes no secret to the disk when there is a key", async () => {
  const file = newFile();
  const stores = await openPushStores(file, { keys: [randomBytes(32)] });
  const task = await watchedTask(stores);
  await stores.configs.put(webhook(task, { ...SECRETS, id: "second" }), 10);
  assert.ok(!(await bytesOf(file)).includes("in-the-clear"));
  assert.deepEqual(await secretsOf(stores, task), SECRETS);
  const [claim] = await stores.outbox.claim(everything(Date.now()));
  assert.equal(claim?.config.token, SECRETS.token);
  assert.deepEqual(claim?.config.authentication, SECRETS.authentication);
  await stores.close();
  assert.ok(!(await bytesOf(file)).includes("in-the-clear"));
});

test("reads what was written without a key, or with a former one", async () => {
  const file = newFile();
  const [former, current] = [randomBytes(32), randomBytes(32)];
  const tasks: TaskChange[] = [];
  for (const keys of [[], [former], [current, former]]) {
    const stores = await openPushStores(file, { keys });
    tasks.push(await watchedTask(stores));
    for (const task of tasks) assert.deepEqual(await secretsOf(stores, task), SECRETS);
    await stores.close();
  }
  const stores = await openPushStores(file, { keys: [current] });
  const [, second, third] = tasks;
  assert.ok(second && third);
  assert.deepEqual(await secretsOf(stores, third), SECRETS);
  await assert.rejects(secretsOf(stores, second), UNREADABLE);
  await stores.close();
});

test("calls no webhook whose secrets no key opens, and every other one", async () => {
  const file = newFile();
  const [lost, key] = [randomBytes(32), randomBytes(32)];
  const before = await openPushStores(file, { keys: [lost] });
  const broken = await watchedTask(before);
  await before.close();

  const stores = await openPushStores(file, { keys: [key] });
  const fine = await watchedTask(stores);
  await commitAll(stores.tasks, next(broken));
  const claims = await stores.outbox.claim(everything(Date.now()));
  assert.deepEqual(
    claims.map(({ config }) => config.taskId),
    [fine.id],
  );
  const dead = await stores.control.deliveries(deliveryQuery({ state: "dead" }));
  assert.deepEqual(
    dead.map(({ taskId, generation, problem }) => [taskId, generation, problem]),
    [1, 2].map((generation) => [
      broken.id,
      generation,
      "no key of the store opens the secrets of webhook hook",
    ]),
  );
  await stores.close();

  const mended = await openPushStores(file, { keys: [key, lost] });
  assert.equal(await mended.control.redrive(EVERYTHING_DEAD), 2);
  const again = await mended.outbox.claim(everything(Date.now()));
  assert.deepEqual(
    again.map(({ config }) => config.token),
    [SECRETS.token, SECRETS.token],
  );
  await mended.close();
});

test("shows no webhook without its secrets when no key opens them, and lets it be replaced or removed", async () => {
  const file = newFile();
  const before = await openPushStores(file, { keys: [randomBytes(32)] });
  const [replaced, removed] = [await watchedTask(before), await watchedTask(before)];
  await before.close();

  const stores = await openPushStores(file, { keys: [randomBytes(32)] });
  for (const task of [replaced, removed]) {
    await assert.rejects(stores.configs.find(scopeOf(task), "hook"), UNREADABLE);
    await assert.rejects(stores.configs.list(scopeOf(task), undefined, 10), UNREADABLE);
  }
  await stores.configs.put(webhook(replaced, SECRETS), 10);
  assert.deepEqual(await secretsOf(stores, replaced), SECRETS);
  await stores.configs.remove(scopeOf(removed), "hook");
  assert.deepEqual(await stores.configs.list(scopeOf(removed), undefined, 10), []);
  await stores.close();
});

test("does not open secrets that were moved to another webhook, or changed", async () => {
  const stores = await openPushStores(":memory:", { keys: [randomBytes(32)] });
  const [from, to, cut] = [
    await watchedTask(stores),
    await watchedTask(stores),
    await watchedTask(stores),
  ];
  const { knex } = stores.tasks;
  const [secrets] = await knex("push_notification_configs")
    .where({ task_id: from.id })
    .pluck("secrets");
  await knex("push_notification_configs").where({ task_id: to.id }).update({ secrets });
  await knex("push_notification_configs").where({ task_id: cut.id }).update({ secrets: "1:AAAA" });
  for (const task of [to, cut]) await assert.rejects(secretsOf(stores, task), UNREADABLE);
  assert.deepEqual(await secretsOf(stores, from), SECRETS);
  await stores.close();
});

test("encrypts the same secrets differently each time", async () => {
  const stores = await openPushStores(":memory:", { keys: [randomBytes(32)] });
  const task = newTask();
  await commitAll(stores.tasks, task);
  const texts = new Set<unknown>();
  for (let round = 0; round < 3; round++) {
    await stores.configs.put(webhook(task, SECRETS), 10);
    for (const text of await stores.tasks.knex("push_notification_configs").pluck("secrets"))
      texts.add(text);
  }
  assert.equal(texts.size, 3);
  await stores.close();
});

test("refuses a key that is not of 32 bytes", async () => {
  await assert.rejects(openPushStores(":memory:", { keys: [randomBytes(32), randomBytes(16)] }), {
    message: "a key of the store is not of 32 bytes",
  });
});
