import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrations, migrationSource } from "../../migrations/index.ts";
import { createAgentStore } from "../../src/store/knex/agents/agent-store.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { served } from "./agent-cards.ts";

const FIRST = "016-agents-by-id";

/** Takes back this step and those after it. */
async function takeBack(knex: Awaited<ReturnType<typeof openDatabase>>["knex"], first: string) {
  const steps = migrations.slice(migrations.findIndex(({ name }) => name === first));
  assert.ok(steps.length > 0);
  for (const _ of steps) await knex.migrate.down({ migrationSource });
}

test("keeps cards, tasks and their triggers when the agents' ids come and go", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "old.db");
  const database = await openDatabase(file);
  const { knex } = database;
  await createAgentStore(database, { now: () => 1000 }).record([served("ann")]);
  await takeBack(knex, FIRST);
  const [old] = await knex("agent_cards");
  assert.deepEqual([old.name, old.agent_id, old.digest], ["ann", undefined, undefined]);
  await knex("agent_cards").update({ name: "old", updated_at: 1 });
  await knex("agent_cards").update({ name: "older" });
  assert.ok((await knex("agent_cards").pluck("updated_at"))[0] > 1, "the trigger is there");
  await database.close();

  const reopened = await openDatabase(file);
  const [card] = await reopened.knex("agent_cards");
  assert.deepEqual([card.name, card.agent_id, card.digest], ["older", null, null]);
  await createAgentStore(reopened, { now: () => 2000 }).record([served("ann")]);
  assert.deepEqual(await reopened.knex("agent_cards").orderBy("name").pluck("name"), [
    "ann",
    "older",
  ]);
  await reopened.close();
});

test("refuses two cards of one agent, and a definition that is no JSON", async () => {
  const { knex, close } = await openDatabase(":memory:");
  const rows = { protocol_version: "1.0", name: "n", description: "d", url: "u", version: "1" };
  await knex("agent_cards").insert({ ...rows, uuid: "u1", agent_id: "ann" });
  const refused: readonly [table: string, row: object][] = [
    ["agent_cards", { ...rows, uuid: "u2", agent_id: "ann" }],
    ["added_agents", { id: "ann", definition: "no" }],
    ["added_agents", { id: "ann" }],
    ["disabled_agents", {}],
    ["found_cards", { agent_id: "ann", position: 0, fetched_at: 1 }],
  ];
  for (const [table, row] of refused)
    await assert.rejects(knex(table).insert(row), { code: "SQLITE_CONSTRAINT" }, table);
  await close();
});
