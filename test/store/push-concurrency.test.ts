import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Claim, Outcome } from "../../src/core/ports/push-store.ts";
import { commitAll, completed, newTask, next } from "./changes.ts";
import { DELIVERED, openPushStores, scopeOf, webhook, type PushStores } from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

const EVENTS = 30;

/** Commits a task with two webhooks, one event after the other; its id. */
async function runTask({ tasks }: PushStores): Promise<string> {
  const task = newTask();
  const pushConfigs = ["a", "b"].map((id) => webhook(task, { id }));
  let newest = { ...task, pushConfigs };
  await commitAll(tasks, newest);
  while (newest.base + 2 < EVENTS)
    await commitAll(tasks, (newest = { ...next(newest), pushConfigs: [] }));
  await commitAll(tasks, completed(newest, 2000));
  return task.id;
}

/** Sends what is due, several at once, until everything of so many webhooks was told. */
async function sendAll(
  { outbox }: PushStores,
  send: (claim: Claim) => ReadonlyMap<number, Outcome>,
  isDone: () => boolean,
): Promise<void> {
  while (!isDone()) {
    const now = Date.now();
    const claims = await outbox.claim({ now, until: now + 60_000, limit: 7, deliveries: 4 });
    await Promise.all(
      claims.map(({ config, ...claim }) =>
        outbox.settle([{ key: config, outcomes: send({ config, ...claim }) }], now),
      ),
    );
  }
}

for (const where of ["a file", "memory"])
  test(`tells every event once and in order while others commit, in ${where}`, async () => {
    const stores = await openPushStores(
      where === "memory" ? ":memory:" : join(folder, `${files++}.db`),
    );
    const told = new Map<string, number[]>();
    let failures = 0;
    const send = ({ config, deliveries }: Claim) => {
      const name = `${config.taskId} ${config.id}`;
      const heard = told.get(name) ?? [];
      told.set(name, heard);
      const outcomes = new Map<number, Outcome>();
      for (const { generation, attempts } of deliveries) {
        // Every third event fails at first.
        if (generation % 3 === 0 && attempts === 0) {
          failures++;
          outcomes.set(generation, { kind: "retry", at: Date.now(), problem: "503" });
          break;
        }
        heard.push(generation);
        outcomes.set(generation, DELIVERED);
      }
      return outcomes;
    };
    const count = 12;
    let committing = true;
    const isDone = () =>
      !committing &&
      [...told.values()].every(({ length }) => length === EVENTS) &&
      told.size === 2 * count;
    const sending = [0, 1, 2].map(() => sendAll(stores, send, isDone));
    await Promise.all(Array.from({ length: count }, () => runTask(stores)));
    committing = false;
    await Promise.all(sending);
    const all = Array.from({ length: EVENTS }, (_, index) => index + 1);
    for (const [name, heard] of told) assert.deepEqual(heard, all, name);
    assert.equal(failures, (2 * count * EVENTS) / 3);
    assert.deepEqual(await stores.control.counts(), { due: 0, dead: 0, oldestDueAt: undefined });
    await stores.close();
  });

test("gives out nothing of a webhook once it was removed", async () => {
  const stores = await openPushStores(join(folder, `${files++}.db`));
  const removed = new Set<string>();
  let tasks = 0;
  const sending = [0, 1, 2].map(async () => {
    while (tasks < 40) {
      const now = Date.now();
      const claims = await stores.outbox.claim({ now, until: now, limit: 50, deliveries: 1 });
      for (const { config } of claims) assert.ok(!removed.has(config.taskId));
      await stores.outbox.settle([], now);
    }
  });
  for (; tasks < 40; tasks++) {
    const task = newTask();
    await commitAll(stores.tasks, { ...task, pushConfigs: [webhook(task)] }, next(task));
    await stores.configs.remove(scopeOf(task), "hook");
    removed.add(task.id);
  }
  await Promise.all(sending);
  await stores.close();
});
