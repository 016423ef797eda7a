/** The log of one task, read for those who resume a stream. */
import type { LogEntry } from "../../core/ports/task-store.ts";
import type { Database } from "./database.ts";
import { entriesOf } from "./rows.ts";

/** One row per commit, or one without entries when there is none after the generation. */
interface EventsRow {
  readonly generation: number;
  readonly first: number | null;
  readonly entries: string | null;
}

/** The rows after a generation begin with the one that holds its successor. */
const EVENTS = `
  select t.generation, e.first, e.entries from tasks t
  left join task_events e on e.task_id = t.id and e.last > ?2 and e.first >= coalesce((
    select max(s.first) from task_events s where s.task_id = ?1 and s.first <= ?2 + 1), 0)
  where t.id = ?1 order by e.first`;

/** The entries after a generation, oldest first; undefined when the log does not reach back that far. */
export async function entriesAfter(
  database: Database,
  id: string,
  generation: number,
): Promise<readonly LogEntry[] | undefined> {
  const rows = await database.read((reader) => reader.all<EventsRow>(EVENTS, [id, generation]));
  const [start] = rows;
  if (start === undefined) return undefined;
  if (start.first === null) return start.generation > generation ? undefined : [];
  if (start.first > generation + 1) return undefined;
  return rows
    .flatMap(({ first, entries }) =>
      first === null || entries === null ? [] : entriesOf({ first, list: entries.slice(1, -1) }),
    )
    .filter((entry) => entry.generation > generation);
}
