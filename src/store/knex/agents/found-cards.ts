/** The cards that remote agents were found with last: with them they can be called before they answer again. */
import type { KeptCard } from "../../../core/ports/agent-store.ts";
import type { Database } from "../database.ts";
import { multiRow } from "../multi-row.ts";
import { transaction } from "../transaction.ts";

const CARDS = `select base, url, card, etag, fetched_at as fetchedAt from found_cards
  where agent_id = ? order by position`;

interface CardRow {
  readonly base: string | null;
  readonly url: string | null;
  readonly card: string;
  readonly etag: string | null;
  readonly fetchedAt: number;
}

export async function cardsOf(database: Database, id: string): Promise<readonly KeptCard[]> {
  const rows = await database.read((reader) => reader.all<CardRow>(CARDS, [id]));
  return rows.map(fromRow);
}

function fromRow({ base, url, card, etag, fetchedAt }: CardRow): KeptCard {
  const json: unknown = JSON.parse(card);
  return {
    ...(base !== null && { base }),
    ...(url !== null && { url }),
    json,
    ...(etag !== null && { etag }),
    fetchedAt,
  };
}

interface Placed {
  readonly id: string;
  readonly position: number;
  readonly card: KeptCard;
}

const insertCards = multiRow<Placed>({
  row: "($1, $2, $3, $4, $5, $6, $7)",
  sql: (rows) =>
    `insert into found_cards (agent_id, position, base, url, card, etag, fetched_at) values ${rows}`,
  valuesOf: ({ id, position, card: { base, url, json, etag, fetchedAt } }) => [
    id,
    position,
    base ?? null,
    url ?? null,
    JSON.stringify(json),
    etag ?? null,
    fetchedAt,
  ],
});

export function keepCards(
  database: Database,
  id: string,
  cards: readonly KeptCard[],
): Promise<void> {
  const placed = cards.map((card, position) => ({ id, position, card }));
  return database.write((writer) =>
    transaction(writer, async () => {
      await writer.run("delete from found_cards where agent_id = ?", [id]);
      await insertCards.run(writer, placed);
    }),
  );
}
