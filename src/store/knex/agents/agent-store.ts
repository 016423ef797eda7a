/** The agent store on SQLite. */
import type { AddedAgent, AgentStore } from "../../../core/ports/agent-store.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { transaction } from "../transaction.ts";
import { cardsOf, keepCards } from "./found-cards.ts";
import { recordAgents } from "./record.ts";

export interface AgentStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The store on an open database, which others may use too and its opener closes. */
export function createAgentStore(database: Database, { now }: AgentStoreOptions): AgentStore {
  return {
    added: () => added(database),
    add: (id, definition) => add(database, { id, definition, now: now() }),
    remove: (id) => remove(database, id),
    disabled: () => disabled(database),
    setEnabled: (id, isEnabled) => setEnabled(database, id, isEnabled),
    cardsOf: (id) => cardsOf(database, id),
    keepCards: (id, cards) => keepCards(database, id, cards),
    record: (agents) => recordAgents(database, agents, now()),
  };
}

const ADDED = `select id, definition, created_at as createdAt, updated_at as updatedAt
  from added_agents order by position`;

interface AddedRow extends Omit<AddedAgent, "definition"> {
  readonly definition: string;
}

async function added(database: Database): Promise<readonly AddedAgent[]> {
  const rows = await database.read((reader) => reader.all<AddedRow>(ADDED, []));
  return rows.map(({ id, definition, createdAt, updatedAt }) => ({
    id,
    definition: JSON.parse(definition) as JsonObject,
    createdAt,
    updatedAt,
  }));
}

const ADD = `insert into added_agents (id, definition, created_at, updated_at) values (?1, ?2, ?3, ?3)
  on conflict (id) do update set definition = excluded.definition, updated_at = excluded.updated_at`;

async function add(
  database: Database,
  { id, definition, now }: { id: string; definition: JsonObject; now: number },
): Promise<void> {
  const values = [id, JSON.stringify(definition), now];
  await database.write((writer) => writer.run(ADD, values));
}

/** Whatever else is kept under the id of an agent that was added. What belongs to its card goes with the card. */
const KEPT = [
  "delete from disabled_agents where agent_id = ?",
  "delete from found_cards where agent_id = ?",
  "delete from agent_cards where agent_id = ?",
];

function remove(database: Database, id: string): Promise<boolean> {
  return inTransaction(database, async (writer) => {
    const removed = await writer.run("delete from added_agents where id = ?", [id]);
    if (removed === 0) return false;
    for (const statement of KEPT) await writer.run(statement, [id]);
    return true;
  });
}

async function disabled(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.read((reader) =>
    reader.all<{ id: string }>("select agent_id as id from disabled_agents", []),
  );
  return new Set(rows.map(({ id }) => id));
}

const DISABLE = "insert into disabled_agents (agent_id) values (?) on conflict do nothing";
const ENABLE = "delete from disabled_agents where agent_id = ?";

/** For those who read the tables: what counts is `disabled_agents`, for an agent need not have a card. */
const SHOW_ENABLED = `update agent_metadata set is_enabled = ?2
  where agent_uuid = (select uuid from agent_cards where agent_id = ?1) and is_enabled <> ?2`;

function setEnabled(database: Database, id: string, isEnabled: boolean): Promise<void> {
  return inTransaction(database, async (writer) => {
    await writer.run(isEnabled ? ENABLE : DISABLE, [id]);
    await writer.run(SHOW_ENABLED, [id, Number(isEnabled)]);
  });
}

function inTransaction<T>(
  database: Database,
  work: (writer: Connection) => Promise<T>,
): Promise<T> {
  return database.write((writer) => transaction(writer, () => work(writer)));
}
