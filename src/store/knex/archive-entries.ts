/** The log of one task, read piece by piece. */
import type { LogEntry } from "../../core/ports/task-store.ts";
import type { Database } from "./database.ts";
import { entriesOf } from "./rows.ts";

/** One row per commit, or one without entries when there is none after the generation. */
interface EventsRow {
  readonly generation: number;
  readonly first: number | null;
  readonly entries: string | null;
}

/**
 * The rows after a generation begin with the one that holds its successor, so that each has one entry at least. They end
 * with the one that makes them too large to be read together.
 */
const EVENTS = `
  with after as materialized (
    select e.first, octet_length(e.entries) as bytes from task_events e
    where e.task_id = ?1 and e.last > cast(?2 as integer) and e.first >= coalesce((
      select max(s.first) from task_events s where s.task_id = ?1 and s.first <= cast(?2 as integer) + 1), 0)
    order by e.first limit cast(?3 as integer)),
  sized as (select first, sum(bytes) over (order by first) - bytes as before from after)
  select t.generation, e.first, e.entries from tasks t
  left join sized on sized.before < cast(?4 as integer)
  left join task_events e on e.task_id = t.id and e.first = sized.first
  where t.id = ?1 order by e.first`;

/** As TaskArchive.entries says. */
export async function archivedEntries(
  database: Database,
  {
    id,
    after,
    limit,
    bytes,
  }: {
    readonly id: string;
    readonly after: number;
    readonly limit: number;
    readonly bytes: number;
  },
): Promise<readonly LogEntry[] | undefined> {
  const values = [id, after, limit, bytes];
  const rows = await database.read((reader) => reader.all<EventsRow>(EVENTS, values));
  const [start] = rows;
  if (start === undefined) return undefined;
  if (start.first === null) return start.generation > after ? undefined : [];
  if (start.first > after + 1) return undefined;
  return rows
    .flatMap(({ first, entries }) =>
      first === null || entries === null ? [] : entriesOf({ first, list: entries.slice(1, -1) }),
    )
    .filter(({ generation }) => generation > after)
    .slice(0, limit);
}
