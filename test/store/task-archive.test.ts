import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TaskSearch } from "../../src/core/ports/task-search.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { openStores } from "../../src/store/knex/stores.ts";
import { createTaskArchive } from "../../src/store/knex/task-archive.ts";
import { createTaskStore } from "../../src/store/knex/task-store.ts";
import { taskArchiveContract } from "../contracts/task-archive.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { draft, loadOf, newTask } from "./changes.ts";

const folder = await mkdtemp(join(tmpdir(), "archive-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

async function open(file: string, now: () => number) {
  const database = await openDatabase(file);
  const tasks = createTaskStore(database, { now });
  return { tasks, archive: createTaskArchive(database), close: () => tasks.close() };
}

taskArchiveContract("a SQLite file", (now) => open(join(folder, `${files++}.db`), now));
taskArchiveContract("SQLite in memory", (now) => open(":memory:", now));

const EVERYTHING: TaskSearch = {
  agent: undefined,
  owner: undefined,
  contextId: undefined,
  state: undefined,
  from: undefined,
  before: undefined,
  id: undefined,
  after: undefined,
  limit: 50,
};

test("opens all stores of a file together, with what earlier starts kept in it", async () => {
  const file = join(folder, `${files++}.db`);
  const opening = { file, log: new RecordedLog(), now: () => 5000, keys: [] };
  const change = newTask({ upstream: { taskId: "far", contextId: "c" } });
  const before = await openStores(opening);
  await before.tasks.commit(draft(change));
  await before.agents.add("ann", {});
  await before.close();

  const { tasks, agents, archive, close } = await openStores(opening);
  assert.deepEqual(await archive.find(change.id), {
    stored: await loadOf(tasks, change),
    createdAt: 5000,
    upstream: { taskId: "far", contextId: "c" },
  });
  assert.deepEqual(
    (await archive.search({ ...EVERYTHING, id: "far" })).map(({ id }) => id),
    [change.id],
  );
  assert.deepEqual(
    (await agents.added()).map(({ id }) => id),
    ["ann"],
  );
  await close();
});

/** What is searched for, and the index that carries it. */
const searches: readonly (readonly [fields: Partial<TaskSearch>, index: string])[] = [
  [{}, "tasks_by_owner (agent=? AND owner=?)"],
  [
    { from: 1, before: 2 },
    "tasks_by_owner (agent=? AND owner=? AND status_timestamp>? AND status_timestamp<?)",
  ],
  [
    { after: { timestamp: 1, id: "a" } },
    "tasks_by_owner (agent=? AND owner=? AND (status_timestamp,id)<(?,?))",
  ],
  [
    { state: "TASK_STATE_FAILED", agent: "a" },
    "tasks_by_status (agent=? AND owner=? AND status=?)",
  ],
  [{ contextId: "c" }, "tasks_by_context (agent=? AND owner=? AND context_id=?)"],
  [
    { contextId: "c", state: "TASK_STATE_FAILED" },
    "tasks_by_context (agent=? AND owner=? AND context_id=?)",
  ],
  [{ id: "i", agent: "a", state: "TASK_STATE_FAILED" }, "tasks_by_upstream (upstream_task_id=?)"],
];

for (const [fields, index] of searches)
  test(`walks over no more than an index in a search for ${JSON.stringify(fields)}`, async () => {
    const database = await openDatabase(":memory:");
    const queries: { readonly sql: string; readonly bindings: readonly (string | number)[] }[] = [];
    database.knex.on("query", (query) => queries.push(query));
    await createTaskArchive(database).search({ ...EVERYTHING, ...fields });
    const [query] = queries;
    assert.ok(query);
    const plan: readonly { detail: string }[] = await database.knex.raw(
      `explain query plan ${query.sql}`,
      query.bindings,
    );
    const steps = plan.map(({ detail }) => detail);
    assert.ok(
      steps.some((step) => step.endsWith(index)),
      steps.join("\n"),
    );
    assert.deepEqual(
      steps.filter((step) => /^SCAN (t|u|e|task_counts|tasks)\b/.test(step)),
      [],
    );
    await database.close();
  });
