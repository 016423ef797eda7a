/** Pages of an owner's tasks, by position in an index that is the scope and the order of lists. */
import type { ListedTask, ListPosition, ListQuery, TaskPage } from "../../core/ports/task-store.ts";
import type { TaskCache } from "./cache.ts";
import { INTEGER, type Value } from "./connection.ts";
import { totalOf } from "./counts.ts";
import type { Database } from "./database.ts";
import type { FirstTasks, PackedReads } from "./packed-reads.ts";
import { statusOf } from "./rows.ts";

export interface ListParts {
  readonly database: Database;
  readonly cache: TaskCache;
  readonly reads: PackedReads;
}

/**
 * Lists pages. A page's positions and the total come from one query; the tasks from the cache, the rest from one more. A
 * task that moved in between stays in its place, as it is now; it is left out if it no longer fits the query.
 */
export function createLists({
  database,
  cache,
  reads,
}: ListParts): (query: ListQuery) => Promise<TaskPage> {
  const positionsOf = shared(database);
  return async (query) => {
    const { total, positions } = await positionsOf(query);
    let { placed, next } = await pageAt({ cache, reads }, query, positions);
    // A page that has a successor needs a last task to go on from.
    while (placed.length === 0 && next !== undefined) {
      const rest = await positionsOf({ ...query, after: next });
      ({ placed, next } = await pageAt({ cache, reads }, query, rest.positions));
    }
    return {
      tasks: placed.map(({ task }) => task),
      positions: placed.map(({ position }) => position),
      more: next !== undefined,
      total,
    };
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

interface Placed {
  readonly position: ListPosition;
  readonly task: ListedTask;
}

interface PlacedPage {
  readonly placed: readonly Placed[];
  /** The position that the next page comes after; undefined when there is no next page. */
  readonly next: ListPosition | undefined;
}

/** A page of the tasks at the positions, of which there is one more than the page may hold when there are more. */
async function pageAt(
  { cache, reads }: Omit<ListParts, "database">,
  query: ListQuery,
  positions: readonly ListPosition[],
): Promise<PlacedPage> {
  const asked = positions.slice(0, query.limit);
  const found = asked.map(({ id, timestamp }) => {
    const task = cache.get(id);
    // The cache may not have heard yet of a commit that the positions come from.
    return task !== undefined && task.status.timestamp >= timestamp && fits(task, query)
      ? task
      : undefined;
  });
  const missing = asked.flatMap(({ id }, index) => (found[index] === undefined ? [id] : []));
  const { tasks, cut } = missing.length === 0 ? NOTHING : await reads.first(missing, query);
  const read = new Map(tasks.map((task) => [task.id, task]));
  const cutAt = cut === undefined ? -1 : asked.findIndex(({ id }) => id === cut);
  const shown = cutAt < 0 ? asked : asked.slice(0, cutAt);
  const placed = shown.flatMap((position, index) => {
    const task = found[index] ?? read.get(position.id);
    return task !== undefined && fits(task, query) ? [{ position, task }] : [];
  });
  return { placed, next: shown.length < positions.length ? shown.at(-1) : undefined };
}

const NOTHING: FirstTasks = { tasks: [], cut: undefined };

function fits({ status }: ListedTask, { state, from }: ListQuery): boolean {
  return (
    (state === undefined || status.state === state) &&
    (from === undefined || status.timestamp >= from)
  );
}
