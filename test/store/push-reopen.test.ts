import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { commitAll, completed, newTask, next } from "./changes.ts";
import {
  deliveryQuery,
  everything,
  generationsOf,
  openPushStores,
  scopeOf,
  settled,
  webhook,
} from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

test("finds webhooks again, and tells them what happens from then on", async () => {
  const file = newFile();
  const before = await openPushStores(file);
  const [task, quiet] = [newTask(), newTask()];
  await commitAll(before.tasks, { ...task, pushConfigs: [webhook(task, { token: "t" })] }, quiet);
  const [claim] = await before.outbox.claim(everything(Date.now()));
  assert.ok(claim);
  await before.outbox.settle([settled(claim)], Date.now());
  await before.close();

  const again = await openPushStores(file);
  const found = await again.configs.list(scopeOf(task), undefined, 10);
  assert.deepEqual(found, [webhook(task, { token: "t" })]);
  await commitAll(again.tasks, next(task), next(quiet), completed(next(task), 2000));
  assert.deepEqual(generationsOf(await again.outbox.claim(everything(Date.now()))), [[2, 3]]);
  await again.close();
});

test("has due at once what was taken when the store was closed", async () => {
  const file = newFile();
  const before = await openPushStores(file);
  const task = newTask();
  await commitAll(before.tasks, { ...task, pushConfigs: [webhook(task)] });
  const now = Date.now();
  const taken = await before.outbox.claim({ ...everything(now), until: now + 3_600_000 });
  assert.equal(taken.length, 1);
  await before.close();

  const again = await openPushStores(file);
  assert.deepEqual(generationsOf(await again.outbox.claim(everything(Date.now()))), [[1]]);
  await again.close();
});

test("keeps what waits for a retry waiting, what is paused paused and who is gone gone", async () => {
  const file = newFile();
  const before = await openPushStores(file);
  const tasks = Array.from({ length: 3 }, () => newTask());
  for (const task of tasks)
    await commitAll(before.tasks, { ...task, pushConfigs: [webhook(task)] });
  const now = Date.now();
  const claims = await before.outbox.claim(everything(now));
  const of = (index: number) => {
    const found = claims.find(({ config }) => config.taskId === tasks[index]?.id);
    assert.ok(found);
    return found;
  };
  await before.outbox.settle(
    [
      settled(of(0), { kind: "retry", at: now + 3_600_000, problem: "503" }),
      settled(of(1), { kind: "gone", problem: "410" }),
      settled(of(2), { kind: "retry", at: now, problem: "503" }),
    ],
    now,
  );
  await before.control.setPaused({ taskId: of(2).config.taskId, id: "hook" }, true);
  await before.close();

  const again = await openPushStores(file);
  for (const task of tasks) await commitAll(again.tasks, next(task));
  assert.deepEqual(await again.outbox.claim(everything(now)), []);
  assert.equal(await again.outbox.nextDueAt(), now + 3_600_000);
  const dead = await again.control.deliveries(deliveryQuery({ state: "dead" }));
  assert.deepEqual(
    dead.map(({ taskId, problem }) => [taskId, problem]),
    Array.from({ length: 2 }, () => [of(1).config.taskId, "410"]),
  );
  await again.close();
});
