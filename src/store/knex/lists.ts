/** Pages of an owner's tasks, by position in an index that is the scope and the order of lists. */
import type { ListPosition, ListQuery, StoredTask, TaskPage } from "../../core/ports.ts";
import type { TaskCache } from "./cache.ts";
import { INTEGER, type Value } from "./connection.ts";
import { totalOf } from "./counts.ts";
import type { Database } from "./database.ts";
import type { Loader } from "./loader.ts";
import { statusOf } from "./rows.ts";

export interface ListParts {
  readonly database: Database;
  readonly cache: TaskCache;
  readonly loader: Loader;
}

/**
 * Lists pages. A page's positions and the total come from one query; the tasks from the cache, the rest from one more. A
 * task that moved in between is left out, as if it had moved before the next page: it is found again from its new place.
 */
export function createLists({
  database,
  cache,
  loader,
}: ListParts): (query: ListQuery) => Promise<TaskPage> {
  const positionsOf = shared(database);
  return async (query) => {
    for (;;) {
      const { total, positions } = await positionsOf(query);
      const more = positions.length > query.limit;
      const tasks = await tasksAt({ cache, loader }, query, positions.slice(0, query.limit));
      // A page that has a successor needs a last task to go on from.
      if (tasks.length > 0 || !more) return { tasks, more, total };
    }
  };
}

/** Clients that poll ask for the same page: those that ask for it in one tick share the query. */
function shared(database: Database): (query: ListQuery) => Promise<Positions> {
  const askedFor = new Map<string, Promise<Positions>>();
  return (query) => {
    const key = JSON.stringify(query);
    const known = askedFor.get(key);
    if (known) return known;
    const positions = new Promise(setImmediate).then(() => {
      // From here on what is committed may be missing in the answer: the next to ask starts anew.
      askedFor.delete(key);
      return positionsOf(database, query);
    });
    askedFor.set(key, positions);
    return positions;
  };
}

interface Positions {
  readonly total: number;
  readonly positions: readonly ListPosition[];
}

interface PositionsRow {
  readonly total: number;
  /** A JSON array of pairs of id and timestamp: one value, for the driver's price is per value. */
  readonly page: string;
}

async function positionsOf(database: Database, query: ListQuery): Promise<Positions> {
  const total = totalOf(query);
  const page = pageOf(query);
  const sql = `select ${total.sql} as total, (
    select json_group_array(json_array(id, status_timestamp)) from (${page.sql})) as page`;
  const rows = await database.read((reader) =>
    reader.all<PositionsRow>(sql, [...total.values, ...page.values]),
  );
  const pairs: readonly [id: string, timestamp: number][] = JSON.parse(rows[0]?.page ?? "[]");
  const positions = pairs.map(([id, timestamp]) => ({ id, timestamp }));
  return { total: rows[0]?.total ?? 0, positions };
}

function pageOf({ agent, owner, contextId, state, from, after, limit }: ListQuery) {
  const wheres = ["agent = ?", "owner = ?"];
  const values: Value[] = [agent, owner];
  const where = (sql: string, ...bound: Value[]) => {
    wheres.push(sql);
    values.push(...bound);
  };
  if (contextId !== undefined) where("context_id = ?", contextId);
  if (state !== undefined) where("status = ?", statusOf(state));
  if (from !== undefined) where(`status_timestamp >= ${INTEGER}`, from);
  if (after !== undefined)
    where(`(status_timestamp, id) < (${INTEGER}, ?)`, after.timestamp, after.id);
  const sql = `select id, status_timestamp from tasks where ${wheres.join(" and ")}
    order by status_timestamp desc, id desc limit ${limit + 1}`;
  return { sql, values };
}

async function tasksAt(
  { cache, loader }: Omit<ListParts, "database">,
  query: ListQuery,
  positions: readonly ListPosition[],
): Promise<readonly StoredTask[]> {
  const belongs = (task: StoredTask | undefined, { timestamp }: ListPosition) =>
    task !== undefined &&
    task.status.timestamp === timestamp &&
    (query.state === undefined || task.status.state === query.state);
  const found = positions.map((position) => {
    const task = cache.get(position.id);
    return belongs(task, position) ? task : undefined;
  });
  const missing = positions.flatMap(({ id }, index) => (found[index] === undefined ? [id] : []));
  const read = missing.length === 0 ? undefined : await loader.loadAll(missing);
  return positions.flatMap((position, index) => {
    const task = found[index] ?? read?.get(position.id);
    return task !== undefined && belongs(task, position) ? [task] : [];
  });
}
