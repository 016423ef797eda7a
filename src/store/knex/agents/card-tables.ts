/** Writes and removes the cards of many agents, with one statement per table. */
import type { RecordedAgent } from "../../../core/ports/agent-store.ts";
import type { Connection, Value } from "../connection.ts";
import { multiRow, type MultiRow } from "../multi-row.ts";
import { CHILD_TABLES, type ChildTable } from "./card-children.ts";
import { CARD_COLUMNS, cardRowOf } from "./card-row.ts";

/** An agent with what its card is known by. */
export interface IdentifiedAgent {
  readonly agent: RecordedAgent;
  /** Of the card: made for the first one that the agent has, and the same ever after. */
  readonly uuid: string;
  /** Stands for everything that is written of the agent. */
  readonly digest: string;
}

/** Writes new cards, and others in place of what they were. To be called in a transaction. */
export async function writeCards(
  connection: Connection,
  agents: readonly IdentifiedAgent[],
  now: number,
): Promise<void> {
  if (agents.length === 0) return;
  const uuids = JSON.stringify(agents.map(({ uuid }) => uuid));
  await cards.run(connection, agents, [now]);
  await connection.run(RELEASE, [uuids]);
  await metadata.run(connection, agents, [now]);
  for (const { clear, rowsOf, insert } of children) {
    await connection.run(clear, [uuids]);
    await insert.run(connection, agents.flatMap(rowsOf));
  }
}

/** What belongs to a card goes with it. */
export async function removeCards(connection: Connection, uuids: readonly string[]): Promise<void> {
  if (uuids.length > 0) await connection.run(REMOVE, [JSON.stringify(uuids)]);
}

const REMOVE = "delete from agent_cards where uuid in (select value from json_each(?))";

const cards = cardStatement();

function cardStatement(): MultiRow<IdentifiedAgent> {
  const changing = ["agent_id", "digest", ...CARD_COLUMNS];
  const changes = [...changing, "updated_at"].map((column) => `${column} = excluded.${column}`);
  return multiRow({
    row: `(${placesOf(["uuid", ...changing])}, ?1, ?1)`,
    shared: 1,
    sql: (rows) =>
      `insert into agent_cards (uuid, ${changing.join(", ")}, created_at, updated_at) values ${rows}
       on conflict (uuid) do update set ${changes.join(", ")}`,
    valuesOf: ({ agent, uuid, digest }) => [uuid, agent.id, digest, ...cardRowOf(agent.card)],
  });
}

/** Of each port and of the first place there is one: two agents that change places both leave theirs before they do. */
const RELEASE = `update agent_metadata set port = null, is_primary = 0
  where agent_uuid in (select value from json_each(?)) and (port is not null or is_primary)`;

const metadata = multiRow<IdentifiedAgent>({
  row: "($1, $2, $3, not exists (select 1 from disabled_agents where agent_id = $4), ?1, ?1)",
  shared: 1,
  sql: (rows) =>
    `insert into agent_metadata (agent_uuid, port, is_primary, is_enabled, created_at, updated_at)
     values ${rows}
     on conflict (agent_uuid) do update set
       port = excluded.port, is_primary = excluded.is_primary, updated_at = excluded.updated_at`,
  // Port 0 asks for any that is free, and more than one agent may.
  valuesOf: ({ uuid, agent: { id, port, isPrimary } }) => [
    uuid,
    port || null,
    Number(isPrimary),
    id,
  ],
});

const children = CHILD_TABLES.map(({ name, columns, rowsOf }) => ({
  clear: `delete from ${name} where agent_uuid in (select value from json_each(?))`,
  insert: insertOf(name, columns),
  rowsOf: ({ uuid, agent }: IdentifiedAgent): readonly Value[][] =>
    rowsOf(agent.card).map((row) => [uuid, ...row]),
}));

/** A card may name a skill or an extension twice: the first one counts. */
function insertOf(
  name: ChildTable["name"],
  columns: ChildTable["columns"],
): MultiRow<readonly Value[]> {
  const all = ["agent_uuid", ...columns];
  return multiRow({
    row: `(${placesOf(all)})`,
    sql: (rows) => `insert into ${name} (${all.join(", ")}) values ${rows} on conflict do nothing`,
    valuesOf: (row) => row,
  });
}

function placesOf(columns: readonly string[]): string {
  return columns.map((_, index) => `$${index + 1}`).join(", ");
}
