/**
 * Writes down which agents are served. With each card is kept a digest of everything that was written of the agent, so
 * that only what has changed is written again: by the agent, or by a release that writes other rows.
 */
import { createHash, randomUUID } from "node:crypto";
import type { RecordedAgent } from "../../../core/ports/agent-store.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { transaction } from "../transaction.ts";
import { CHILD_TABLES } from "./card-children.ts";
import { cardRowOf } from "./card-row.ts";
import { removeCards, writeCards } from "./card-tables.ts";

export async function recordAgents(
  database: Database,
  agents: readonly RecordedAgent[],
  now: number,
): Promise<void> {
  const digested = agents.map((agent) => ({ agent, digest: digestOf(agent) }));
  await database.write(async (writer) => {
    const known = await knownIn(writer);
    const changed = digested.flatMap(({ agent, digest }) => {
      const before = known.get(agent.id);
      if (before?.digest === digest) return [];
      return [{ agent, digest, uuid: before?.uuid ?? randomUUID() }];
    });
    for (const { id } of agents) known.delete(id);
    const gone = [...known.values()].map(({ uuid }) => uuid);
    // Even an empty transaction would wait for its turn on the disk.
    if (changed.length === 0 && gone.length === 0) return;
    await transaction(writer, async () => {
      await removeCards(writer, gone);
      await writeCards(writer, changed, now);
    });
  });
}

function digestOf({ card, port = 0, isPrimary }: RecordedAgent): string {
  const rows = CHILD_TABLES.map((table) => table.rowsOf(card));
  const written = JSON.stringify([port, isPrimary, cardRowOf(card), ...rows]);
  return createHash("sha256").update(written).digest("base64");
}

interface Known {
  readonly uuid: string;
  readonly digest: string | null;
}

/** As one value: the driver's price is per value. */
const KNOWN = `select json_group_array(json_array(agent_id, uuid, digest)) as known from agent_cards
  where agent_id is not null`;

async function knownIn(connection: Connection): Promise<Map<string, Known>> {
  const [row] = await connection.all<{ known: string }>(KNOWN, []);
  const known: readonly [id: string, uuid: string, digest: string | null][] = JSON.parse(
    row?.known ?? "[]",
  );
  return new Map(known.map(([id, uuid, digest]) => [id, { uuid, digest }]));
}
