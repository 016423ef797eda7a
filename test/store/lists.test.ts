/** Lists while tasks change between the two reads of a page: of its positions, and of the tasks there. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ListPosition, ListQuery, TaskChange } from "../../src/core/ports/task-store.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { createTaskStore } from "../../src/store/knex/task-store.ts";
import { commitAll, idsOf, newTask, next, query } from "./changes.ts";

/** A store with the tasks t0, t1, …, and what happens each time after positions were read. */
async function changingStore(t: TestContext, cacheTasks: number) {
  const database = await openDatabase(":memory:");
  let change = async (): Promise<void> => undefined;
  const store = createTaskStore(
    {
      ...database,
      async read(work) {
        let positions = false;
        const result = await database.read((reader) =>
          work({
            ...reader,
            all(sql, values) {
              positions ||= sql.includes("as page");
              return reader.all(sql, values);
            },
          }),
        );
        if (positions) await change();
        return result;
      },
    },
    { cacheTasks },
  );
  t.after(() => store.close());
  const tasks: TaskChange[] = [1000, 2000, 3000, 4000, 5000].map((timestamp, index) =>
    newTask({ id: `t${index}`, status: { state: "TASK_STATE_WORKING", timestamp } }),
  );
  await commitAll(store, ...tasks);
  let clock = 10_000;
  const move = async (state: TaskChange["status"]["state"], ...indexes: readonly number[]) => {
    for (const index of indexes) {
      const task = tasks[index];
      assert(task);
      tasks[index] = next(task, { status: { state, timestamp: clock++ } });
      await commitAll(store, tasks[index]);
    }
  };
  const walk = async (fields: Partial<ListQuery>) => {
    const pages: string[][] = [];
    let after: ListPosition | undefined;
    for (let more = true; more;) {
      const page = await store.list(query({ ...fields, after }));
      pages.push(idsOf(page.tasks));
      ({ more } = page);
      after = page.positions.at(-1);
    }
    return pages;
  };
  return { store, move, walk, onPositions: (then: () => Promise<void>) => (change = then) };
}

for (const cacheTasks of [0, 1000]) {
  const name = cacheTasks === 0 ? "without a cache" : "with a cache";

  test(`keeps a task that moved meanwhile in its place, as it is now, ${name}`, async (t) => {
    const { store, move, onPositions } = await changingStore(t, cacheTasks);
    onPositions(() => move("TASK_STATE_WORKING", 0, 1, 2, 3, 4));
    const page = await store.list(query({ limit: 2, from: 1000, state: "TASK_STATE_WORKING" }));
    assert.deepEqual(idsOf(page.tasks), ["t4", "t3"]);
    assert.deepEqual(
      page.tasks.map(({ status }) => status.timestamp),
      [10_004, 10_003],
    );
    assert.deepEqual(page.positions, [
      { id: "t4", timestamp: 5000 },
      { id: "t3", timestamp: 4000 },
    ]);
  });

  test(`repeats and skips nothing when a page's last task moves, ${name}`, async (t) => {
    const { move, walk, onPositions } = await changingStore(t, cacheTasks);
    let last = 3;
    onPositions(async () => {
      if (last > 0) await move("TASK_STATE_WORKING", last);
      last -= 2;
    });
    assert.deepEqual(await walk({ limit: 2 }), [["t4", "t3"], ["t2", "t1"], ["t0"]]);
  });

  test(`leaves out a task that no longer fits, and goes on past a page of them, ${name}`, async (t) => {
    const { move, walk, onPositions } = await changingStore(t, cacheTasks);
    let moves = 0;
    onPositions(async () => {
      if (moves++ === 0) await move("TASK_STATE_INPUT_REQUIRED", 4, 3, 1);
    });
    const pages = await walk({ limit: 2, state: "TASK_STATE_WORKING" });
    assert.deepEqual(pages, [["t2", "t0"]]);
  });
}

test("lists a task at any time whose status changes all the time", async (t) => {
  const { store, move } = await changingStore(t, 1000);
  let listing = true;
  const moving = (async () => {
    while (listing) await move("TASK_STATE_WORKING", 0);
  })();
  for (let n = 0; n < 200; n++) assert.equal((await store.list(query())).tasks.length, 5);
  listing = false;
  await moving;
});
