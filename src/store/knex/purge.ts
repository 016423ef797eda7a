/** Removes what has outlived its retention. */
import type { Purged, PurgeLimits } from "../../core/ports/task-store.ts";
import { addCounts, type Move } from "./counts.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { stateOf, TERMINAL, WAITING } from "./rows.ts";
import { transaction } from "./transaction.ts";

export interface Purge {
  /** Removes at most so many tasks and logs. */
  run(limits: PurgeLimits, batch: number): Promise<Purged>;
  /** Told of every task that ended, with the instant of its status. */
  noteEnded(timestamp: number): void;
}

export function createPurge(database: Database, onRemoved: (id: string) => void): Purge {
  // No task that ended before this instant has a log: what was searched once is not searched again.
  let searched = Number.MIN_SAFE_INTEGER;

  async function removeLogs(before: number, batch: number): Promise<number> {
    if (before <= searched || batch <= 0) return 0;
    const from = searched;
    // Moved ahead of the search, so that it is moved back by a task that ends meanwhile.
    searched = before;
    let found = batch;
    try {
      const ids = await idsOfLogs(database, { from, before, batch });
      await database.write((connection) => deleteLogs(connection, ids));
      found = ids.length;
    } finally {
      if (found === batch) searched = Math.min(searched, from);
    }
    return found;
  }

  return {
    async run({ finishedBefore, unfinishedBefore, entriesBefore }, batch) {
      const limits = { finishedBefore, unfinishedBefore, batch };
      const ids = await database.write((connection) => deleteTasks(connection, limits));
      for (const id of ids) onRemoved(id);
      const tasks = ids.length;
      if (entriesBefore === undefined) return { tasks, logs: 0 };
      return { tasks, logs: await removeLogs(entriesBefore, batch - tasks) };
    },
    noteEnded(timestamp) {
      searched = Math.min(searched, timestamp);
    },
  };
}

/**
 * The counts say which statuses there are; each is a range of the index by status. Side tables go by cascade. A status
 * that is neither the end nor a wait is that of a turn under way, which nothing is taken away from.
 */
const DELETE_TASKS = `
  delete from tasks where id in (
    select t.id from task_counts c cross join tasks t
      on t.agent = c.agent and t.owner = c.owner and t.status = c.status
      and t.status_timestamp < case when c.status in ${TERMINAL} then ?1 when c.status in ${WAITING} then ?2 end
    where c.level = 0 limit ?3)
  returning id, agent, owner, status, status_timestamp`;

interface DeletedRow {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly status: string;
  readonly status_timestamp: number;
}

async function deleteTasks(
  connection: Connection,
  limits: {
    finishedBefore: number | undefined;
    unfinishedBefore: number | undefined;
    batch: number;
  },
): Promise<readonly string[]> {
  const { finishedBefore = null, unfinishedBefore = null, batch } = limits;
  if (finishedBefore === null && unfinishedBefore === null) return [];
  return transaction(connection, async () => {
    const values = [finishedBefore, unfinishedBefore, batch];
    const rows = await connection.all<DeletedRow>(DELETE_TASKS, values);
    await addCounts(connection, rows.map(moveOf));
    return rows.map(({ id }) => id);
  });
}

function moveOf({ agent, owner, status, status_timestamp: timestamp }: DeletedRow): Move {
  return { agent, owner, status: undefined, previous: { state: stateOf(status), timestamp } };
}

const LOGS = `
  select t.id from task_counts c cross join tasks t
    on t.agent = c.agent and t.owner = c.owner and t.status = c.status
    and t.status_timestamp >= :from and t.status_timestamp < :before
  where c.level = 0 and c.status in ${TERMINAL}
    and exists (select 1 from task_events e where e.task_id = t.id)
  limit :batch`;

/** Tasks that ended in that time and still have a log. On a connection of its own, for the first search is long. */
async function idsOfLogs(
  database: Database,
  range: { readonly from: number; readonly before: number; readonly batch: number },
): Promise<readonly string[]> {
  const rows: readonly { id: string }[] = await database.knex.raw(LOGS, range);
  return rows.map(({ id }) => id);
}

const DELETE_LOGS = "delete from task_events where task_id in (select value from json_each(?))";

async function deleteLogs(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction(connection, () => connection.run(DELETE_LOGS, [JSON.stringify(ids)]));
}
