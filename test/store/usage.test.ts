import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { openStores, type Stores } from "../../src/store/knex/stores.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import {
  artifact,
  commitAll,
  completed,
  draft,
  message,
  newTask,
  next,
  UNLIMITED,
} from "./changes.ts";

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "a2a-usage-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "tasks.db");
}

const open = (file: string, countsUsage = true): Promise<Stores> =>
  openStores({ file, log: new RecordedLog(), now: Date.now, keys: [], countsUsage });

const of = ({ usage }: Stores, owner: string) => (usage ?? assert.fail()).of(owner);

/** What the tables say, counted anew. */
async function truth(file: string, owner: string): Promise<{ tasks: number; bytes: number }> {
  const store = await openTaskStore({ file });
  const [row] = await store.knex.raw(
    `select count(*) as tasks, coalesce(sum(octet_length(history) + octet_length(artifacts)
       + coalesce(octet_length(metadata), 0) + coalesce(octet_length(status_message), 0)
       + coalesce((select sum(octet_length(entries)) from task_events where task_id = id), 0)), 0) as bytes
     from tasks where owner = ?`,
    [owner],
  );
  await store.close();
  return row;
}

const snapshot = (text: string) => ({
  history: [message(text)],
  artifacts: [artifact(text)],
  metadata: { text },
});

test("what is kept of whose tasks is counted with every commit and purge, and again after a restart", async (t) => {
  const file = fileFor(t);
  let stores = await open(file);
  const tasks = Array.from({ length: 30 }, (_, index) =>
    newTask({ owner: index % 3 === 0 ? "bob" : "ann", snapshot: snapshot("é".repeat(index)) }),
  );
  await commitAll(stores.tasks, ...tasks);
  assert.equal(of(stores, "ann").tasks, 20);
  assert.equal(of(stores, "bob").tasks, 10);
  const further = tasks
    .slice(0, 10)
    .map((task) => next(task, { snapshot: snapshot("longer text") }));
  await commitAll(stores.tasks, ...further);
  const ended = tasks.slice(10, 20).map((task) => completed(task, 500));
  await commitAll(stores.tasks, ...ended);
  const before = of(stores, "ann");
  await stores.close();
  assert.deepEqual(await truth(file, "ann"), before);

  stores = await open(file);
  assert.deepEqual(of(stores, "ann"), before);
  await stores.tasks.purge({ ...UNLIMITED, entriesBefore: 501 }, 100);
  const withoutLogs = of(stores, "ann");
  assert.ok(withoutLogs.bytes < before.bytes);
  await stores.close();
  assert.deepEqual(await truth(file, "ann"), withoutLogs);

  stores = await open(file);
  await stores.tasks.purge({ ...UNLIMITED, finishedBefore: 501 }, 100);
  const left = of(stores, "ann");
  assert.equal(left.tasks + of(stores, "bob").tasks, 20);
  await stores.close();
  assert.deepEqual(await truth(file, "ann"), left);
});

test("a change that is refused counts for nothing", async (t) => {
  const file = fileFor(t);
  const stores = await open(file);
  const task = newTask();
  await commitAll(stores.tasks, task);
  const before = of(stores, "ann");
  const other = newTask({ owner: "bob" });
  const refused = stores.tasks.commit(draft({ ...next(task), base: 7, snapshot: snapshot("no") }));
  await Promise.all([assert.rejects(refused), commitAll(stores.tasks, other)]);
  assert.deepEqual(of(stores, "ann"), before);
  assert.equal(of(stores, "bob").tasks, 1);
  await stores.close();
});

test("tasks from before, and from times without counts, are counted at the start", async (t) => {
  const file = fileFor(t);
  const plain = await openTaskStore({ file });
  await commitAll(plain, newTask(), newTask({ owner: "bob" }));
  await plain.close();
  let stores = await open(file);
  assert.equal(of(stores, "ann").tasks, 1);
  await stores.close();
  stores = await open(file, false);
  assert.equal(stores.usage, undefined);
  await commitAll(stores.tasks, newTask());
  await stores.close();
  stores = await open(file);
  const now = of(stores, "ann");
  assert.equal(now.tasks, 2);
  await stores.close();
  assert.deepEqual(await truth(file, "ann"), now);
});

test("the tasks of calls without credentials are counted together", async (t) => {
  const stores = await open(fileFor(t));
  await commitAll(
    stores.tasks,
    newTask({ owner: "/anonymous/1" }),
    newTask({ owner: "/anonymous/2" }),
    newTask({ owner: "/anonymous" }),
  );
  assert.equal(of(stores, "/anonymous/").tasks, 2);
  assert.equal(of(stores, "/anonymous").tasks, 1);
  await stores.close();
});

test("whoever has no task left is forgotten", async (t) => {
  const file = fileFor(t);
  const stores = await open(file);
  await commitAll(
    stores.tasks,
    newTask({ status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: 1 } }),
  );
  await stores.tasks.purge({ ...UNLIMITED, unfinishedBefore: 2 }, 10);
  assert.deepEqual(of(stores, "ann"), { tasks: 0, bytes: 0 });
  await stores.close();
  const store = await openTaskStore({ file });
  assert.deepEqual(await store.knex("task_usage"), []);
  await store.close();
});
