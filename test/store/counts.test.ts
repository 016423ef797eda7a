import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TaskChange } from "../../src/core/ports/task-store.ts";
import { isTerminal, TASK_STATES } from "../../src/protocol/states.ts";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { draft, newTask, next, query, UNLIMITED } from "./changes.ts";

/** Instants that share buckets of some level and not of others. */
const instant = fc.oneof(
  fc.nat(200),
  fc.nat(2 ** 15),
  fc.nat(2 ** 23),
  fc.nat(2 ** 31),
  fc.integer({ min: 1.7e12, max: 1.7e12 + 2 ** 24 }),
);
const status = fc.record({ state: fc.constantFrom(...TASK_STATES), timestamp: instant });
const owner = fc.constantFrom("ann", "bob");

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("create" as const), owner, status }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("change" as const), pick: fc.nat(), status }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("purge" as const), instant, batch: fc.nat(4) }),
  },
);

test("counts exactly, whatever was created, changed and purged, for every filter", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(instant), async (steps, froms) => {
      const store = await openTaskStore({ file: ":memory:" });
      let tasks: TaskChange[] = [];
      let group: Promise<unknown>[] = [];
      for (const each of steps) {
        if (each.kind === "purge") {
          await Promise.all(group);
          const limits = {
            ...UNLIMITED,
            finishedBefore: each.instant,
            unfinishedBefore: each.instant,
          };
          await store.purge(limits, each.batch + 1);
          const left = new Set(await store.knex("tasks").pluck("id"));
          tasks = tasks.filter(({ id }) => left.has(id));
        } else if (each.kind === "create") {
          const change = newTask({ owner: each.owner, status: each.status });
          tasks.push(change);
          group.push(store.commit(draft(change)));
        } else {
          const index = each.pick % Math.max(tasks.length, 1);
          const before = tasks[index];
          if (before === undefined || isTerminal(before.status.state)) continue;
          // Of one task only one draft may wait.
          await Promise.all(group);
          group = [];
          const change = next(before, { status: each.status });
          tasks[index] = change;
          group.push(store.commit(draft(change)));
        }
      }
      await Promise.all(group);
      for (const of of ["ann", "bob"])
        for (const state of [undefined, ...TASK_STATES])
          for (const from of [undefined, 0, ...froms]) {
            const { total } = await store.list(query({ owner: of, state, from, limit: 1 }));
            const expected = tasks.filter(
              (task) =>
                task.owner === of &&
                (state ?? task.status.state) === task.status.state &&
                task.status.timestamp >= (from ?? 0),
            );
            assert.equal(total, expected.length, JSON.stringify({ of, state, from }));
          }
      assert.equal((await store.knex("tasks").pluck("id")).length, tasks.length);
      assert.deepEqual(await store.knex("task_counts").where("n", 0), []);
      await store.close();
    }),
    { numRuns: 60 },
  );
});
