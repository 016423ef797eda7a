import assert from "node:assert/strict";
import { link, mkdtemp, rm, symlink, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { A2AError } from "../../src/protocol/errors.ts";
import type { TaskStore } from "../../src/core/ports/task-store.ts";
import { openConnection } from "../../src/store/knex/connection.ts";
import { migrateFile, openDatabase } from "../../src/store/knex/database.ts";
import { createTaskStore, openTaskStore } from "../../src/store/knex/task-store.ts";
import { commitAll, completed, draft, loadOf, message, newTask, next, query } from "./changes.ts";

const folder = await mkdtemp(join(tmpdir(), "store-"));
after(() => rm(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

test("refuses a second gateway on one file, by whatever name, until the first one closes", async () => {
  const file = newFile();
  const first = await openTaskStore({ file });
  const symbolic = newFile();
  await symlink(file, symbolic);
  for (const name of [file, symbolic]) {
    const refusal = { message: `the database ${name} is in use by another gateway` };
    await assert.rejects(openTaskStore({ file: name }), refusal);
    await assert.rejects(migrateFile(name), refusal);
  }
  await first.ping();
  await first.close();
  await (await openTaskStore({ file: symbolic })).close();
});

test("refuses a file with hard links, under which a second gateway could open it", async () => {
  const file = newFile();
  await (await openTaskStore({ file })).close();
  const hardLink = newFile();
  await link(file, hardLink);
  for (const name of [file, hardLink])
    await assert.rejects(openTaskStore({ file: name }), {
      message: `the database ${name} has hard links: another gateway may use one of them`,
    });
  await unlink(hardLink);
  await (await openTaskStore({ file })).close();
});

test("finds its tasks again when it is opened again", async () => {
  const file = newFile();
  const first = newTask();
  const before = await openTaskStore({ file });
  await commitAll(before, first, next(first, { statusMessage: message("on it") }));
  const loaded = await loadOf(before, first);
  await before.close();
  const again = await openTaskStore({ file });
  assert.deepEqual(await loadOf(again, first), loaded);
  assert.deepEqual((await again.list(query())).tasks, [loaded]);
  await again.close();
});

test("writes to the disk before it answers", async () => {
  const database = await openDatabase(newFile());
  const pragmas = ["journal_mode", "synchronous", "foreign_keys"];
  for (const [index, expected] of ["wal", 2, 1].entries()) {
    const rows = await database.write((c) => c.all<object>(`pragma ${pragmas[index]}`, []));
    assert.deepEqual(Object.values(rows[0] ?? {}), [expected]);
  }
  await database.close();
});

test("waits for another program that locks the file, and reads meanwhile", async () => {
  const file = newFile();
  const store = await openTaskStore({ file });
  const change = newTask();
  await commitAll(store, change);
  const backup = await openConnection(file);
  await backup.exec("begin immediate");
  const waiting = Array.from({ length: 50 }, () => store.commit(draft(newTask())));
  const chunk = store.commit(draft(next(change)));
  assert.equal((await loadOf(store, change))?.generation, 1);
  assert.equal((await store.list(query())).total, 1);
  await backup.exec("rollback");
  await Promise.all([...waiting, chunk]);
  assert.equal((await store.list(query())).total, 51);
  await backup.close();
  await store.close();
});

test("is unavailable, nothing written, when another program keeps the file locked", async () => {
  const file = newFile();
  const database = await openDatabase(file);
  await database.write((writer) => writer.exec("pragma busy_timeout = 1"));
  const store = createTaskStore(database);
  const backup = await openConnection(file);
  await backup.exec("begin immediate");
  await store.ping();
  await assert.rejects(store.commit(draft(newTask())), (thrown) =>
    isUnavailable(thrown, "the store is busy"),
  );
  await assert.rejects(store.ping(), (thrown) => isUnavailable(thrown, "the store is busy"));
  await backup.exec("rollback");
  await store.ping();
  assert.equal((await store.list(query())).total, 0);
  await commitAll(store, newTask());
  assert.equal((await store.list(query())).total, 1);
  await backup.close();
  await store.close();
});

test("writes nothing of a group when the disk is full, and goes on once it is not", async () => {
  const database = await openDatabase(newFile());
  const store = createTaskStore(database, { cacheTasks: 0 });
  const [there, other] = [newTask(), newTask()];
  await commitAll(store, there, other);
  const before = await loadOf(store, there);
  await database.write((writer) => writer.exec("pragma max_page_count = 1"));
  const large = { history: [message("x".repeat(200_000))], artifacts: [], metadata: undefined };
  const changes = [
    next(other),
    { ...completed(there, 2000), snapshot: large },
    ...Array.from({ length: 5 }, () => newTask({ snapshot: large })),
  ];
  const results = await Promise.allSettled(changes.map((change) => store.commit(draft(change))));
  for (const result of results)
    assert.ok(result.status === "rejected" && isUnavailable(result.reason, "the store is full"));
  await assert.rejects(store.ping(), (thrown) => isUnavailable(thrown, "the store is full"));
  await assert.rejects(store.ping(), (thrown) => isUnavailable(thrown, "the store is full"));
  assert.deepEqual(await loadOf(store, there), before);
  await assertUnchanged(store, other.id);
  await database.write((writer) => writer.exec("pragma max_page_count = 1000000"));
  await store.ping();
  await commitAll(store, ...changes);
  assert.equal((await store.list(query())).total, 7);
  await store.close();
});

function isUnavailable(thrown: unknown, message: string): boolean {
  if (!A2AError.is(thrown) || thrown.reason !== "UNAVAILABLE") return false;
  return (
    thrown.message === message && thrown.cause !== undefined && thrown.retryAfter !== undefined
  );
}

async function assertUnchanged(store: TaskStore, id: string): Promise<void> {
  assert.deepEqual(await store.entriesAfter(id, 1), []);
  assert.equal((await store.list(query())).total, 2);
}

test("refuses a change alone that is not JSON, its group is written", async () => {
  const store = await openTaskStore({ file: ":memory:" });
  const bad = newTask({ entries: [{ generation: 1, news: "status", text: '{"half":' }] });
  const good = newTask();
  const results = await Promise.allSettled(
    [bad, good].map((change) => store.commit(draft(change))),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
  assert.equal(await loadOf(store, bad), undefined);
  assert.equal((await store.list(query())).total, 1);
  await store.close();
});

test("keeps context ids verbatim, control characters and all", async () => {
  const store = await openTaskStore({ file: ":memory:", cacheTasks: 0 });
  const contextId = "ünï \u0000 \u001e \u001f \n \"' \u{1f600}";
  const change = newTask({ contextId, owner: "o\u001f" });
  await commitAll(store, change);
  assert.equal((await loadOf(store, change))?.contextId, contextId);
  const page = await store.list(query({ owner: "o\u001f", contextId }));
  assert.equal(page.tasks[0]?.contextId, contextId);
  assert.equal(page.total, 1);
  await store.close();
});

test("goes on after a write that failed before it began", async () => {
  const database = await openDatabase(":memory:");
  let broken = true;
  const store = createTaskStore({
    ...database,
    write: (work) =>
      broken ? Promise.reject(new Error("the lock is broken")) : database.write(work),
  });
  await assert.rejects(store.commit(draft(newTask())), /the lock is broken/);
  broken = false;
  await commitAll(store, newTask());
  await store.close();
});
