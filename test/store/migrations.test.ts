import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrations, migrationSource } from "../../migrations/index.ts";
import { migrateFile, openDatabase } from "../../src/store/knex/database.ts";

const CARD = {
  uuid: "u1",
  protocol_version: "1.0",
  name: "n",
  description: "d",
  url: "https://example.com",
  version: "1",
};

test("brings a file up to date once", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "new.db");
  assert.deepEqual(
    await migrateFile(file),
    migrations.map(({ name }) => name),
  );
  assert.deepEqual(await migrateFile(file), []);
});

test("names its steps in their order, each once", () => {
  const names = migrations.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)].sort());
});

test("takes back every step", async () => {
  const { knex, close } = await openDatabase(":memory:");
  await knex.migrate.rollback({ migrationSource }, true);
  const tables = await knex("sqlite_master").where("type", "table").pluck("name");
  assert.deepEqual(
    tables.filter((name) => !/^(knex|sqlite)_/.test(name)),
    [],
  );
  await close();
});

test("goes on after a migration that was killed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "killed.db");
  const killed = await openDatabase(file);
  await killed.knex("knex_migrations_lock").update({ is_locked: 1 });
  await killed.close();
  await (await openDatabase(file)).close();
});

test("refuses rows that break a rule of their table", async () => {
  const { knex, close } = await openDatabase(":memory:");
  await knex("agent_cards").insert(CARD);
  const agent_uuid = "u1";
  const refused: readonly [table: string, row: object][] = [
    ["agent_cards", CARD],
    ["agent_cards", { ...CARD, uuid: "u2", preferred_transport: "SOAP" }],
    ["agent_cards", { ...CARD, uuid: "u2", provider: "{" }],
    ["agent_metadata", { agent_uuid, port: 0 }],
    ["agent_metadata", { agent_uuid, port: 65536 }],
    ["agent_metadata", { agent_uuid, mcp_servers: "[" }],
    ["agent_metadata", { agent_uuid: "nobody" }],
    ["agent_security_schemes", { agent_uuid, name: "s", type: "digest", definition: "{}" }],
    ["agent_security_schemes", { agent_uuid, name: "s", type: "http", definition: "no" }],
    ["task_events", { task_id: "none", first: 1, last: 1, entries: "[]" }],
    ["push_notification_configs", { task_id: "none", id: "p", url: "u" }],
  ];
  for (const [table, row] of refused)
    await assert.rejects(
      knex(table).insert(row),
      { code: "SQLITE_CONSTRAINT" },
      `${table} ${JSON.stringify(row)}`,
    );
  await close();
});

test("allows one agent per port and one primary agent", async () => {
  const { knex, close } = await openDatabase(":memory:");
  for (const uuid of ["u1", "u2", "u3"]) await knex("agent_cards").insert({ ...CARD, uuid });
  await knex("agent_metadata").insert({ agent_uuid: "u1", port: 8080, is_primary: true });
  await assert.rejects(knex("agent_metadata").insert({ agent_uuid: "u2", port: 8080 }));
  await assert.rejects(knex("agent_metadata").insert({ agent_uuid: "u2", is_primary: true }));
  await knex("agent_metadata").insert({ agent_uuid: "u2", port: 8081 });
  await knex("agent_metadata").insert({ agent_uuid: "u3" });
  await close();
});

test("removes what belongs to a card with it", async () => {
  const { knex, close } = await openDatabase(":memory:");
  await knex("agent_cards").insert(CARD);
  const agent_uuid = "u1";
  const children: Readonly<Record<string, object>> = {
    agent_capabilities: { agent_uuid },
    agent_skills: { agent_uuid, id: "s", position: 0, name: "n", description: "d" },
    agent_extensions: { agent_uuid, uri: "x", position: 0 },
    agent_interfaces: {
      agent_uuid,
      position: 0,
      url: "u",
      protocol_binding: "GRPC",
      protocol_version: "1.0",
    },
    agent_security_schemes: { agent_uuid, name: "s", type: "http", definition: "{}" },
    agent_security_requirements: { agent_uuid, position: 0, schemes: "{}" },
    agent_card_signatures: { agent_uuid, position: 0, protected: "p", signature: "s" },
    agent_metadata: { agent_uuid },
  };
  for (const [table, row] of Object.entries(children)) await knex(table).insert(row);
  await knex("agent_cards").delete();
  for (const table of Object.keys(children)) assert.deepEqual(await knex(table), [], table);
  await close();
});

test("keeps updated_at for whoever does not set it", async () => {
  const { knex, close } = await openDatabase(":memory:");
  await knex("agent_cards").insert({ ...CARD, created_at: 1, updated_at: 1 });
  await knex("agent_cards").update({ name: "other" });
  const [touched] = await knex("agent_cards").pluck("updated_at");
  assert.ok(touched > 1_700_000_000_000);
  await knex("agent_cards").update({ name: "third", updated_at: 2 });
  assert.deepEqual(await knex("agent_cards").pluck("updated_at"), [2]);
  await close();
});
