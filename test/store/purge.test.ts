import assert from "node:assert/strict";
import { test } from "node:test";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { commitAll, completed, draft, newTask, query, UNLIMITED } from "./changes.ts";

const SIDE_TABLES = [
  "tasks",
  "task_events",
  "task_counts",
  "sent_messages",
  "push_notification_configs",
  "push_deliveries",
];

test("leaves no row in any table for purged tasks, finished or waiting", async () => {
  const store = await openTaskStore({ file: ":memory:" });
  const changes = Array.from({ length: 1000 }, (_, index) =>
    newTask({
      owner: `owner ${index % 7}`,
      sent: { messageId: `m${index}`, fingerprint: "f" },
      status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: index },
    }),
  );
  await Promise.all(changes.map((change) => store.commit(draft(change))));
  const ended = changes.slice(0, 500).map((change) => completed(change, 2000));
  await Promise.all(ended.map((change) => store.commit(draft(change))));
  for (const [key, { id }] of changes.slice(0, 3).entries()) {
    await store.knex("push_notification_configs").insert({
      key,
      task_id: id,
      id: "p",
      agent: "echo",
      owner: "ann",
      url: "u",
      version: "1.0",
      interest: "all",
      since: 0,
    });
    const delivered = { config: key, generation: 1, state: "delivered" };
    await store.knex("push_deliveries").insert({ ...delivered, created_at: 1, updated_at: 1 });
  }
  const limits = { ...UNLIMITED, finishedBefore: 2001, unfinishedBefore: 2001 };
  let removed = 0;
  for (let count = 1; count > 0; removed += count) count = (await store.purge(limits, 300)).tasks;
  assert.equal(removed, 1000);
  for (const table of SIDE_TABLES) assert.deepEqual(await store.knex(table), [], table);
  await store.close();
});

test("does not answer from memory what was purged", async () => {
  const store = await openTaskStore({ file: ":memory:" });
  const change = newTask({ status: { state: "TASK_STATE_AUTH_REQUIRED", timestamp: 1000 } });
  await commitAll(store, change);
  assert.ok(await store.load("echo", "ann", change.id));
  await store.purge({ ...UNLIMITED, unfinishedBefore: 1001 }, 1);
  assert.equal(await store.load("echo", "ann", change.id), undefined);
  assert.equal((await store.list(query())).total, 0);
  await store.close();
});
