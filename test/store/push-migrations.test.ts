import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations } from "../../migrations/index.ts";
import { webhooks } from "../../migrations/018-webhooks.ts";
import { openDatabase } from "../../src/store/knex/database.ts";

test("takes the tables of webhooks back to what they were, and makes them again", async () => {
  const { knex, close } = await openDatabase(":memory:");
  const columnsOf = async (table: string) => Object.keys(await knex(table).columnInfo()).sort();
  const after = await columnsOf("push_deliveries");
  await webhooks.down(knex);
  assert.ok((await columnsOf("push_deliveries")).includes("body"));
  assert.ok((await columnsOf("push_notification_configs")).includes("authentication"));
  await webhooks.up(knex);
  assert.deepEqual(await columnsOf("push_deliveries"), after);
  await close();
});

test("comes after the steps whose tables it makes anew", () => {
  const names = migrations.map(({ name }) => name);
  assert.ok(names.indexOf("018-webhooks") > names.indexOf("015-push-deliveries"));
});

test("refuses webhooks and deliveries that break a rule of their table", async () => {
  const { knex, close } = await openDatabase(":memory:");
  await knex("tasks").insert(TASK);
  await knex("push_notification_configs").insert(CONFIG);
  const refused: readonly [table: string, row: object][] = [
    ["push_notification_configs", CONFIG],
    ["push_notification_configs", { ...CONFIG, key: 2 }],
    ["push_notification_configs", { ...CONFIG, key: 2, id: "q", task_id: "none" }],
    ["push_notification_configs", { ...CONFIG, key: 2, id: "q", interest: "some" }],
    ["push_notification_configs", { ...CONFIG, key: 2, id: "q", due_at: 1 }],
    ["push_deliveries", { ...DELIVERY, config: 2 }],
    ["push_deliveries", { ...DELIVERY, state: "sent" }],
  ];
  for (const [table, row] of refused)
    await assert.rejects(
      knex(table).insert(row),
      { code: "SQLITE_CONSTRAINT" },
      `${table} ${JSON.stringify(row)}`,
    );
  await knex("push_deliveries").insert(DELIVERY);
  await knex("tasks").delete();
  assert.deepEqual(await knex("push_notification_configs"), []);
  assert.deepEqual(await knex("push_deliveries"), []);
  await close();
});

const TASK = {
  id: "t",
  agent: "echo",
  owner: "",
  context_id: "c",
  status: "working",
  status_timestamp: 1,
  generation: 1,
  snapshot_generation: 1,
  history: "[]",
  artifacts: "[]",
};

const CONFIG = {
  key: 1,
  task_id: "t",
  id: "p",
  agent: "echo",
  owner: "",
  url: "u",
  version: "1.0",
  interest: "default",
  since: 0,
};

const DELIVERY = { config: 1, generation: 1, state: "due", created_at: 1, updated_at: 1 };
