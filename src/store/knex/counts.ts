/**
 * How many tasks there are, without walking over them. Each (agent, owner, status) is counted over all time and in
 * buckets of the status timestamp at several levels, so that the number since an instant is the sum of a few whole
 * buckets and a walk over the index inside one bucket of the finest level.
 */
import type { ListQuery, StatusKey } from "../../core/ports/task-store.ts";
import { INTEGER, type Connection, type Value } from "./connection.ts";
import { multiRow } from "./multi-row.ts";
import { statusOf } from "./rows.ts";

/** Width of the buckets of levels 1, 2, … in milliseconds: 12 days, 70 minutes, 16 seconds, 64 milliseconds. */
const WIDTHS = [2 ** 30, 2 ** 22, 2 ** 14, 2 ** 6] as const;
const FINEST = WIDTHS[3];

/** A task that came, went, or moved from one status to another. */
export interface Move {
  readonly agent: string;
  readonly owner: string;
  readonly status: StatusKey | undefined;
  readonly previous: StatusKey | undefined;
}

/** Keeps the counts in step with the moves; to be called in their transaction. */
export async function addCounts(connection: Connection, moves: readonly Move[]): Promise<void> {
  const cells = levelsOf(finestOf(moves));
  const more = cells.filter(({ n }) => n > 0);
  const less = cells.filter(({ n }) => n < 0);
  if (more.length > 0) await raise.run(connection, more);
  if (less.length > 0 && (await lower.run(connection, less)) !== less.length)
    throw new Error("a task left a status in which it was not counted");
}

interface Cell {
  readonly agent: string;
  readonly owner: string;
  readonly status: string;
  readonly level: number;
  readonly bucket: number;
  n: number;
}

/** What changes at the finest level, moves inside a bucket left out. */
function finestOf(moves: readonly Move[]): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { agent, owner, status, previous } of moves) {
    if (status !== undefined) add(cells, cellOf(agent, owner, status, 1));
    if (previous !== undefined) add(cells, cellOf(agent, owner, previous, -1));
  }
  return [...cells.values()].filter(({ n }) => n !== 0);
}

function cellOf(agent: string, owner: string, { state, timestamp }: StatusKey, n: number): Cell {
  const bucket = Math.floor(timestamp / FINEST);
  return { agent, owner, status: statusOf(state), level: WIDTHS.length, bucket, n };
}

/** The same changes at every level. */
function levelsOf(finest: readonly Cell[]): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const cell of finest) {
    add(cells, { ...cell, level: 0, bucket: 0 });
    for (const [index, width] of WIDTHS.entries()) {
      const bucket = Math.floor((cell.bucket * FINEST) / width);
      add(cells, { ...cell, level: index + 1, bucket });
    }
  }
  return [...cells.values()].filter(({ n }) => n !== 0);
}

function add(cells: Map<string, Cell>, cell: Cell): void {
  const key = `${cell.level} ${cell.bucket} ${cell.status} ${JSON.stringify([cell.agent, cell.owner])}`;
  const known = cells.get(key);
  if (known === undefined) cells.set(key, cell);
  else known.n += cell.n;
}

const ROW = "($1, $2, $3, $4, $5, $6)";

const valuesOf = ({ agent, owner, level, status, bucket, n }: Cell) => [
  agent,
  owner,
  level,
  status,
  bucket,
  n,
];

const raise = multiRow({
  row: ROW,
  sql: (rows) =>
    `insert into task_counts (agent, owner, level, status, bucket, n) values ${rows}
     on conflict (level, agent, owner, bucket, status) do update set n = n + excluded.n`,
  valuesOf,
});

/** An update, not an upsert: a row that is checked for insertion may not be negative. */
const lower = multiRow({
  row: ROW,
  sql: (rows) =>
    `with v (agent, owner, level, status, bucket, n) as (values ${rows})
     update task_counts set n = task_counts.n + v.n from v
     where task_counts.level = v.level and task_counts.agent = v.agent and task_counts.owner = v.owner
       and task_counts.status = v.status and task_counts.bucket = v.bucket`,
  valuesOf,
});

/** An expression for the total of a list, and its values. */
export function totalOf(query: ListQuery): { readonly sql: string; readonly values: Value[] } {
  if (query.contextId !== undefined) return walkOf(query, { contextId: query.contextId });
  if (query.from === undefined) return levelOf(query, 0, 0, 0);
  const from = query.from;
  const parts = WIDTHS.map((width, index) => {
    const parent = WIDTHS[index - 1];
    const after = Math.floor(from / width) + 1;
    const end = parent === undefined ? END : ((Math.floor(from / parent) + 1) * parent) / width;
    return levelOf(query, index + 1, after, end - 1);
  });
  parts.push(walkOf(query, { before: (Math.floor(from / FINEST) + 1) * FINEST }));
  return {
    sql: parts.map(({ sql }) => sql).join(" + "),
    values: parts.flatMap(({ values }) => values),
  };
}

/** Past every bucket. */
const END = Number.MAX_SAFE_INTEGER;

function levelOf({ agent, owner, state }: ListQuery, level: number, first: number, last: number) {
  const values: Value[] = [agent, owner];
  if (level > 0) values.push(first, last);
  if (state !== undefined) values.push(statusOf(state));
  const sql = `(select coalesce(sum(n), 0) from task_counts
    where level = ${level} and agent = ? and owner = ?${
      level === 0 ? " and bucket = 0" : ` and bucket between ${INTEGER} and ${INTEGER}`
    }${state === undefined ? "" : " and status = ?"})`;
  return { sql, values };
}

function walkOf(query: ListQuery, within: { contextId?: string; before?: number }) {
  const wheres = ["agent = ?", "owner = ?"];
  const values: Value[] = [query.agent, query.owner];
  const where = (sql: string, value: Value) => {
    wheres.push(sql);
    values.push(value);
  };
  if (within.contextId !== undefined) where("context_id = ?", within.contextId);
  if (query.state !== undefined) where("status = ?", statusOf(query.state));
  if (query.from !== undefined) where(`status_timestamp >= ${INTEGER}`, query.from);
  if (within.before !== undefined) where(`status_timestamp < ${INTEGER}`, within.before);
  return { sql: `(select count(*) from tasks where ${wheres.join(" and ")})`, values };
}
