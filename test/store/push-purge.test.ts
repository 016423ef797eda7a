import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { commitAll, completed, newTask, UNLIMITED } from "./changes.ts";
import {
  deliveryQuery,
  EVERYTHING_DEAD,
  everything,
  openPushStores,
  settled,
  webhook,
  type PushStores,
} from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

const LOGS = { ...UNLIMITED, entriesBefore: 3000 };

/** Tasks that ended, every second one with a webhook that was told nothing yet. */
async function endedTasks({ tasks }: PushStores, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const task = newTask();
    const pushConfigs = index % 2 === 0 ? [webhook(task)] : [];
    await commitAll(tasks, { ...task, pushConfigs }, completed(task, 2000 + index));
  }
}

/** Purges until nothing is left to do; how many logs went. */
async function purgedLogs({ tasks }: PushStores): Promise<number> {
  let all = 0;
  for (let logs = 1; logs > 0; all += logs) ({ logs } = await tasks.purge(LOGS, 3));
  return all;
}

async function tellSome({ outbox }: PushStores, limit: number): Promise<void> {
  const now = Date.now();
  const claims = await outbox.claim({ ...everything(now), limit });
  await outbox.settle(
    claims.map((claim) => settled(claim)),
    now,
  );
}

test("purges logs in batches as webhooks are told of them, and what was told with them", async () => {
  const stores = await openPushStores(newFile());
  await endedTasks(stores, 20);
  assert.equal(await purgedLogs(stores), 10);
  assert.equal(await purgedLogs(stores), 0);
  await tellSome(stores, 4);
  assert.equal(await purgedLogs(stores), 4);
  await tellSome(stores, 100);
  assert.equal((await stores.control.deliveries(deliveryQuery())).length, 12);
  assert.equal(await purgedLogs(stores), 6);
  assert.deepEqual(await stores.control.deliveries(deliveryQuery()), []);
  assert.deepEqual(await stores.tasks.knex("task_events"), []);
  assert.deepEqual(await stores.tasks.knex("push_deliveries"), []);
  await stores.close();
});

test("keeps logs back as well when it is opened again", async () => {
  const file = newFile();
  const before = await openPushStores(file);
  await endedTasks(before, 6);
  await before.close();
  const again = await openPushStores(file);
  assert.equal(await purgedLogs(again), 3);
  await tellSome(again, 100);
  assert.equal(await purgedLogs(again), 3);
  await again.close();
});

test("makes nothing due again of which the log is gone", async () => {
  const stores = await openPushStores(newFile());
  await endedTasks(stores, 2);
  const now = Date.now();
  const [claim] = await stores.outbox.claim(everything(now));
  assert.ok(claim);
  await stores.outbox.settle([settled(claim, { kind: "gone", problem: "410" })], now);
  assert.equal((await stores.control.counts()).dead, 2);
  assert.equal(await purgedLogs(stores), 2);
  assert.equal(await stores.control.redrive(EVERYTHING_DEAD), 0);
  assert.deepEqual(await stores.control.counts(), { due: 0, dead: 0, oldestDueAt: undefined });
  await stores.close();
});

test("keeps the log of a task whose dead deliveries were made due again", async () => {
  const stores = await openPushStores(newFile());
  await endedTasks(stores, 1);
  const now = Date.now();
  const [claim] = await stores.outbox.claim(everything(now));
  assert.ok(claim);
  await stores.outbox.settle([settled(claim, { kind: "dead", problem: "404" })], now);
  assert.equal(await stores.control.redrive(EVERYTHING_DEAD), 2);
  assert.equal(await purgedLogs(stores), 0);
  await tellSome(stores, 1);
  assert.equal(await purgedLogs(stores), 1);
  await stores.close();
});
