import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createAgentStore } from "../../src/store/knex/agents/agent-store.ts";
import { openConnection } from "../../src/store/knex/connection.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { agentStoreContract } from "../contracts/agent-store.ts";
import { served } from "./agent-cards.ts";

const folder = await mkdtemp(join(tmpdir(), "agents-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

const newFile = () => join(folder, `${files++}.db`);

async function open(file: string, now: () => number) {
  const database = await openDatabase(file);
  return {
    agents: createAgentStore(database, { now }),
    knex: database.knex,
    close: () => database.close(),
  };
}

agentStoreContract("a SQLite file", (now) => open(newFile(), now));
agentStoreContract("SQLite in memory", (now) => open(":memory:", now));

test("is unavailable, nothing written, while another program keeps the file locked", async () => {
  const file = newFile();
  const database = await openDatabase(file);
  await database.write((writer) => writer.exec("pragma busy_timeout = 1"));
  const agents = createAgentStore(database, { now: () => 1000 });
  const backup = await openConnection(file);
  await backup.exec("begin immediate");
  for (const write of [() => agents.add("ann", {}), () => agents.setEnabled("ann", false)])
    await assert.rejects(write(), { reason: "UNAVAILABLE", message: "the store is busy" });
  await backup.exec("rollback");
  await backup.close();
  assert.deepEqual(await agents.added(), []);
  await agents.add("ann", {});
  await database.close();
});

test("has everything at the next start", async () => {
  const file = newFile();
  const first = await open(file, () => 1000);
  await first.agents.add("zoe", { n: 1 });
  await first.agents.add("ann", { n: 2 });
  await first.agents.setEnabled("configured", false);
  await first.agents.keepCards("ann", [{ base: "b", json: { name: "a" }, fetchedAt: 900 }]);
  await first.agents.record([served("ann"), served("zoe")]);
  const cards = await first.knex("agent_cards").orderBy("agent_id");
  await first.close();

  const second = await open(file, () => 2000);
  assert.deepEqual(await second.agents.added(), [
    { id: "zoe", definition: { n: 1 }, createdAt: 1000, updatedAt: 1000 },
    { id: "ann", definition: { n: 2 }, createdAt: 1000, updatedAt: 1000 },
  ]);
  assert.deepEqual(await second.agents.disabled(), new Set(["configured"]));
  assert.deepEqual(await second.agents.cardsOf("ann"), [
    { base: "b", json: { name: "a" }, fetchedAt: 900 },
  ]);
  await second.agents.record([served("zoe"), served("ann")]);
  assert.deepEqual(await second.knex("agent_cards").orderBy("agent_id"), cards);
  await second.close();
});
