import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ListPosition, TaskChange } from "../../src/core/ports/task-store.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { openDatabase, type Database } from "../../src/store/knex/database.ts";
import { createTaskStore, type TaskStoreOptions } from "../../src/store/knex/task-store.ts";
import {
  artifact,
  commitAll,
  completed,
  draft,
  entries,
  idsOf,
  loadOf,
  message,
  newTask,
  next,
  query,
} from "./changes.ts";

const PACK = 20_000;
/** What a pack may take beyond what is counted: ids and the like. */
const SLACK = 10_000;

/** A store that reads small packs, and the length of the longest text that it read. */
async function measuredStore(t: TestContext, options: TaskStoreOptions = {}) {
  const database = await openDatabase(":memory:");
  let longest = 0;
  const measured: Database = {
    ...database,
    read: (work) =>
      database.read((reader) =>
        work({
          ...reader,
          async all<Row>(sql: string, values: readonly (string | number | null)[]) {
            const rows = await reader.all<Row>(sql, values);
            for (const value of rows.flatMap((row) => Object.values(row ?? {})))
              if (typeof value === "string") longest = Math.max(longest, value.length);
            return rows;
          },
        }),
      ),
  };
  const open = (other: TaskStoreOptions) =>
    createTaskStore(measured, { cacheTasks: 0, packBytes: PACK, ...other });
  const store = open(options);
  t.after(() => store.close());
  return { store, open, longest: () => longest };
}

function large(fields: Partial<TaskChange>, characters: number): TaskChange {
  const history = [message("x".repeat(characters))];
  return newTask({ ...fields, snapshot: { history, artifacts: [], metadata: undefined } });
}

const tooLarge = (thrown: unknown) => A2AError.is(thrown) && thrown.reason === "TOO_LARGE";

test("reads no more than a pack at a time of tasks that are asked for together", async (t) => {
  const { store, longest } = await measuredStore(t);
  const changes = Array.from({ length: 40 }, () => large({}, 2000));
  const chatty = Array.from({ length: 5 }, () => newTask());
  await commitAll(store, ...changes, ...chatty);
  for (const change of chatty) await commitAll(store, next(change, { entries: entries(2, 200) }));
  const asked = [...changes, newTask(), ...chatty];
  const loaded = await Promise.all(asked.map((change) => loadOf(store, change)));
  assert.deepEqual(
    loaded.map((task) => task?.id),
    asked.map(({ id }, index) => (index === 40 ? undefined : id)),
  );
  assert.equal(loaded.at(-1)?.tail.length, 199);
  assert(longest() < PACK + SLACK, `${longest()} characters in one text`);
});

test("reads a task that is larger than a pack on its own", async (t) => {
  const { store, longest } = await measuredStore(t);
  const changes = [large({}, 100), large({}, 30_000), large({}, 40_000)];
  await commitAll(store, ...changes);
  const loaded = await Promise.all(changes.map((change) => loadOf(store, change)));
  assert.deepEqual(
    loaded.map((task) => task && modelOf(task.task).history),
    changes.map(({ snapshot }) => snapshot?.history),
  );
  assert(longest() < 2 * 40_000 + SLACK, `${longest()} characters in one text`);
});

test("takes up tasks at work in pages of a pack, past those that cannot be read", async (t) => {
  const { store, open, longest } = await measuredStore(t);
  const lengths = [100, 4000, 4000, 50_000, 100_000, 100, 100];
  await commitAll(store, ...lengths.map((length, n) => large({ id: `t${n}` }, length)));
  // What may be written is as much as that of another time.
  const reading = open({ taskBytes: 40_000 });
  const pages: string[][] = [];
  for (let after: string | undefined; ; after = pages.at(-1)?.at(-1)) {
    const page = idsOf(await reading.running(3, after));
    if (page.length === 0) break;
    pages.push(page);
  }
  assert.deepEqual(pages, [["t0", "t1", "t2"], ["t3"], ["t5", "t6"]]);
  assert(longest() < 2 * 50_000 + SLACK);
});

test("fails whoever asks for a task that cannot be read, and nobody else", async (t) => {
  const { store, open } = await measuredStore(t);
  const changes = [large({}, 10), large({}, 50_000), large({}, 20)];
  await commitAll(store, ...changes);
  const reading = open({ taskBytes: 10_000 });
  const [before, unreadable, after] = await Promise.allSettled(
    changes.map((change) => loadOf(reading, change)),
  );
  assert.deepEqual([before?.status, after?.status], ["fulfilled", "fulfilled"]);
  assert(unreadable?.status === "rejected" && tooLarge(unreadable.reason));
});

test("refuses a task that grows too large to be read, alone, and lets it end", async (t) => {
  const { store } = await measuredStore(t, { taskBytes: 10_000 });
  const of = (characters: number) => ({
    history: [{ ...message("x"), parts: [{ text: "ü".repeat(characters) }] }],
    artifacts: [],
    metadata: undefined,
  });
  const there = newTask();
  await commitAll(store, there);
  const [refused, fine, longEntries] = await Promise.allSettled([
    store.commit(draft(next(there, { snapshot: of(5000) }))),
    store.commit(draft(newTask({ snapshot: of(4000) }))),
    store.commit(
      draft(
        newTask({ entries: [{ generation: 1, news: "status", text: `"${"x".repeat(10_000)}"` }] }),
      ),
    ),
  ]);
  assert(refused.status === "rejected" && tooLarge(refused.reason));
  assert(longEntries.status === "rejected" && tooLarge(longEntries.reason));
  assert.equal(fine.status, "fulfilled");
  assert.equal((await loadOf(store, there))?.generation, 1);
  await assert.rejects(
    store.commit(draft({ ...completed(there, 2000), snapshot: of(16_000) })),
    tooLarge,
  );
  await commitAll(store, { ...completed(there, 2000), snapshot: of(14_000) });
  assert.equal((await loadOf(store, there))?.generation, 2);
});

test("ends a page where it would read more than was asked for", async (t) => {
  const { store, longest } = await measuredStore(t);
  const lengths = [100, 30_000, 2000, 2000, 2000, 2000, 2000, 100];
  const ids = lengths.map((_, index) => `t${index}`);
  for (const [index, length] of lengths.entries())
    await commitAll(store, large({ id: `t${index}` }, length));
  const pages: string[][] = [];
  let after: ListPosition | undefined;
  for (let more = true; more;) {
    const page = await store.list(query({ maxBytes: 13_000, after }));
    assert.equal(page.total, ids.length);
    pages.push(idsOf(page.tasks));
    ({ more } = page);
    after = page.positions.at(-1);
  }
  assert.deepEqual(pages, [["t7", "t6", "t5", "t4"], ["t3", "t2"], ["t1"], ["t0"]]);
  assert(longest() < 2 * 30_000 + SLACK);
});

test("leaves large artifacts out of a list that does not want them, and out of nothing else", async (t) => {
  const { store, open, longest } = await measuredStore(t, { cacheTasks: 100 });
  const writing = open({});
  const snapshotOf = (text: string) => ({
    history: [message("hi")],
    artifacts: [artifact(text)],
    metadata: undefined,
  });
  const small = newTask({ id: "small", snapshot: snapshotOf("x") });
  const big = newTask({ id: "big", snapshot: snapshotOf("x".repeat(200_000)) });
  const ended = newTask({
    ...big,
    id: "ended",
    status: { state: "TASK_STATE_FAILED", timestamp: 1 },
  });
  await commitAll(store, small, next(small), big, next(big));
  // Read by another store: this one has what it wrote in its cache.
  await commitAll(writing, ended);
  const page = await store.list(query({ artifacts: false, maxBytes: 5000 }));
  assert.deepEqual(
    page.tasks.map(({ id, whole }) => [id, whole]),
    [
      ["small", true],
      ["big", false],
      ["ended", false],
    ],
  );
  const listed = page.tasks[1];
  assert(listed);
  assert.deepEqual(modelOf(listed.task).history, [message("hi")]);
  assert.equal("artifacts" in modelOf(listed.task), false);
  assert(longest() < 5000 + SLACK);
  const loaded = await loadOf(store, big);
  assert(loaded);
  assert.deepEqual(modelOf(loaded.task).artifacts, big.snapshot?.artifacts);
  const wanted = await store.list(query());
  assert.deepEqual(wanted.tasks[1], loaded);
  assert.deepEqual(wanted.tasks[2], await loadOf(writing, ended));
});
