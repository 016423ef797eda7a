import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openConnection } from "../../src/store/knex/connection.ts";
import { openDatabase, type Database } from "../../src/store/knex/database.ts";
import { createPushStore } from "../../src/store/knex/push/push-store.ts";
import { createTaskStore } from "../../src/store/knex/task-store.ts";
import { commitAll, draft, message, newTask, next } from "./changes.ts";
import { everything, generationsOf, scopeOf, settled, webhook } from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

const openStores = async (file: string, now: () => number) =>
  openStoresOn(await openDatabase(file), now);

async function openStoresOn(database: Database, now: () => number) {
  const push = await createPushStore(database, { keys: [], now });
  const tasks = createTaskStore(database, { now, hooks: push.taskHooks });
  return { database, tasks, ...push };
}

test("has a claim due again whose outcome could not be written, and goes on", async () => {
  const file = newFile();
  let clock = 5000;
  const { database, tasks, outbox } = await openStores(file, () => clock);
  await database.write((writer) => writer.exec("pragma busy_timeout = 1"));
  const task = newTask();
  await commitAll(tasks, { ...task, pushConfigs: [webhook(task)] });
  const [claim] = await outbox.claim(everything(clock));
  assert.ok(claim);

  const backup = await openConnection(file);
  await backup.exec("begin immediate");
  await assert.rejects(outbox.settle([settled(claim)], clock), { reason: "UNAVAILABLE" });
  await backup.exec("rollback");
  await backup.close();

  assert.deepEqual(await outbox.claim(everything(clock)), []);
  clock = 6000;
  const [again] = await outbox.claim(everything(clock));
  assert.ok(again);
  assert.deepEqual(generationsOf([again]), [[1]]);
  await outbox.settle([settled(again)], clock);
  await commitAll(tasks, next(task));
  assert.deepEqual(generationsOf(await outbox.claim(everything(clock))), [[2]]);
  await tasks.close();
});

test("writes commits to the disk before it answers, whatever was settled in between", async () => {
  const { database, tasks, outbox } = await openStores(newFile(), Date.now);
  const synchronous = async () => {
    const [row] = await database.write((writer) =>
      writer.all<{ synchronous: number }>("pragma synchronous", []),
    );
    return row?.synchronous;
  };
  const task = newTask();
  await commitAll(tasks, { ...task, pushConfigs: [webhook(task)] });
  const [claim] = await outbox.claim(everything(Date.now()));
  assert.ok(claim);
  await outbox.settle([settled(claim)], Date.now());
  assert.equal(await synchronous(), 2);
  // A transaction that was left open keeps the settlement from being written.
  await commitAll(tasks, next(task));
  const [second] = await outbox.claim(everything(Date.now()));
  assert.ok(second);
  await database.write((writer) => writer.exec("begin immediate"));
  await assert.rejects(outbox.settle([settled(second)], Date.now()), { code: "SQLITE_ERROR" });
  await commitAll(tasks, next(next(task)));
  assert.equal(await synchronous(), 2);
  await tasks.close();
});

test("refuses commits while they would not wait for the disk, and mends that", async () => {
  const real = await openDatabase(newFile());
  let failures = 0;
  /** Keeps the connection from being told to wait for the disk again, so many times. */
  const database: Database = {
    ...real,
    write: (work) =>
      real.write((writer) =>
        work({
          ...writer,
          exec: (sql) =>
            sql.endsWith("synchronous = full") && failures-- > 0
              ? Promise.reject(new Error("disk I/O error"))
              : writer.exec(sql),
        }),
      ),
  };
  const { tasks, outbox, configs } = await openStoresOn(database, Date.now);
  const task = newTask();
  await commitAll(tasks, { ...task, pushConfigs: [webhook(task)] });
  const [claim] = await outbox.claim(everything(Date.now()));
  assert.ok(claim);
  failures = 4;
  await assert.rejects(outbox.settle([settled(claim)], Date.now()), /disk I\/O error/);

  const refusal = { reason: "UNAVAILABLE", message: "the store cannot wait for the disk" };
  await assert.rejects(tasks.commit(draft(next(task))), refusal);
  await assert.rejects(configs.remove(scopeOf(task), "hook"), refusal);
  await commitAll(tasks, next(task));
  const [{ synchronous } = assert.fail()] = await real.write((writer) =>
    writer.all<{ synchronous: number }>("pragma synchronous", []),
  );
  assert.equal(synchronous, 2);
  await tasks.close();
});

test("keeps webhooks of a group that fits when another change of it is refused", async () => {
  const { tasks, outbox } = await openStores(newFile(), Date.now);
  const there = newTask();
  await commitAll(tasks, there);
  const stray = newTask();
  const good = Array.from({ length: 3 }, () => newTask());
  const results = await Promise.allSettled([
    ...good.map((task) => tasks.commit(draft({ ...task, pushConfigs: [webhook(task)] }))),
    tasks.commit(draft({ ...next(there), base: 9, pushConfigs: [webhook(there)] })),
    tasks.commit(draft({ ...newTask(), pushConfigs: [webhook(stray)] })),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"],
  );
  assert.deepEqual(generationsOf(await outbox.claim(everything(Date.now()))), [[1], [1], [1]]);
  await commitAll(tasks, next(there));
  assert.deepEqual(await outbox.claim(everything(Date.now())), []);
  await tasks.close();
});

test("owes nothing of commits that a full disk kept from being written", async () => {
  const { database, tasks, outbox } = await openStores(newFile(), Date.now);
  const watched = newTask();
  await commitAll(tasks, { ...watched, pushConfigs: [webhook(watched)] });
  const [claim] = await outbox.claim(everything(Date.now()));
  assert.ok(claim);
  await outbox.settle([settled(claim)], Date.now());
  await database.write((writer) => writer.exec("pragma max_page_count = 1"));
  const large = { history: [message("x".repeat(200_000))], artifacts: [], metadata: undefined };
  const change = newTask({ snapshot: large });
  const results = await Promise.allSettled([
    tasks.commit(draft({ ...change, pushConfigs: [webhook(change)] })),
    tasks.commit(draft(next(watched))),
  ]);
  assert.ok(results.every(({ status }) => status === "rejected"));
  assert.deepEqual(await outbox.claim(everything(Date.now())), []);
  await database.write((writer) => writer.exec("pragma max_page_count = 1000000"));
  await commitAll(tasks, next(watched));
  assert.deepEqual(generationsOf(await outbox.claim(everything(Date.now()))), [[2]]);
  await tasks.close();
});
