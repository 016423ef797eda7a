/** Writes down what changes of tasks have to tell to webhooks, in the transaction of the changes. */
import { WANTED, type News, type PushConfig } from "../../../core/ports/push-store.ts";
import type { TaskChange } from "../../../core/ports/task-store.ts";
import type { Connection } from "../connection.ts";
import { packedRows } from "./packed-rows.ts";
import type { Watched } from "./watched.ts";

/**
 * Writes a delivery per entry and webhook that wants it; whether something is due at once to webhooks that had nothing
 * due. Those that came with new tasks are there, and hold what is due to them first (see firstWanted).
 */
export async function enqueue(
  connection: Connection,
  changes: readonly TaskChange[],
  { watched, now }: { readonly watched: Watched; readonly now: number },
): Promise<boolean> {
  const entries: Entry[] = [];
  const turns: Turn[] = [];
  for (const change of changes) {
    const wanted = watched.newsWanted(change);
    if (wanted === undefined) continue;
    const turn: Turn = { taskId: change.id, first: change.base + 1, newest: {} };
    for (const { generation, news } of change.entries) {
      if (!wanted.has(news)) continue;
      entries.push({ taskId: change.id, generation, news });
      turn.newest[news] = generation;
    }
    if (change.base > 0) turns.push(turn);
  }
  if (entries.length === 0) return false;
  await insertDeliveries.run(connection, entries, now);
  return (await makeDue.run(connection, turns, now)) > 0;
}

/** The generation of the first entry of its change that a config is told of. */
export function firstWanted(
  { entries }: TaskChange,
  { interest, since }: PushConfig,
): number | undefined {
  const wanted = WANTED[interest];
  return entries.find(({ generation, news }) => generation > since && wanted.has(news))?.generation;
}

/** An entry that a webhook of its task may want to hear of. */
interface Entry {
  readonly taskId: string;
  readonly generation: number;
  readonly news: News;
}

/** A change of a task that was there: its first generation, and the newest of each kind of news. */
interface Turn {
  readonly taskId: string;
  readonly first: number;
  readonly newest: Partial<Record<News, number>>;
}

/** In SQL: what a config `c` makes of what is said about each kind of news that it wants. */
function perInterest(said: (news: News) => string): string {
  const cases = Object.entries(WANTED).map(
    ([interest, wanted]) => `when '${interest}' then ${[...wanted].map(said).join(" or ")}`,
  );
  return `case c.interest ${cases.join(" ")} end`;
}

/** What would be told to a receiver that is gone is dead at once. */
const insertDeliveries = packedRows<Entry>({
  columns: ["task_id", "generation", "news"],
  sql: `insert into push_deliveries (config, generation, state, problem, created_at, updated_at)
     select c.key, v.generation, case when c.gone is null then 'due' else 'dead' end, c.gone, ?1, ?1
     from v cross join push_notification_configs c on c.task_id = v.task_id and v.generation > c.since
       and ${perInterest((news) => `v.news = '${news}'`)}`,
  valuesOf: ({ taskId, generation, news }) => [taskId, generation, news],
});

/** One of which something is due already keeps its turn, or its wait for another try. */
const makeDue = packedRows<Turn>({
  columns: ["task_id", "first", "status", "artifact", "piece"],
  sql: `update push_notification_configs as c set due_at = ?1, next = v.first from v
     where c.task_id = v.task_id and c.due_at is null and c.gone is null
       and ${perInterest((news) => `v.${news} > c.since`)}`,
  valuesOf: ({ taskId, first, newest: { status = 0, artifact = 0, piece = 0 } }) => [
    taskId,
    first,
    status,
    artifact,
    piece,
  ],
});
