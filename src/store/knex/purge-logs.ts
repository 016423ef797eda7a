/** Removes the logs of tasks that have ended, and with them what webhooks were told of the entries. */
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { TERMINAL } from "./rows.ts";
import { transaction } from "./transaction.ts";

export interface LogPurge {
  /** Removes at most so many logs of tasks that ended before an instant; how many it were. */
  run(before: number, batch: number): Promise<number>;
  /** Told of every task that ended, with the instant of its status. */
  noteEnded(timestamp: number): void;
  /** Told of every task of which something was due to a webhook that may not be due any more. */
  noteSettled(id: string): void;
}

export function createLogPurge(database: Database): LogPurge {
  // No task that ended before this instant has a log: what was searched once is not searched again.
  let searched = Number.MIN_SAFE_INTEGER;
  // But for these, which something is due of, with the instant of their status.
  const held = new Map<string, number>();

  const searchFrom = (timestamp: number): void => {
    searched = Math.min(searched, timestamp);
  };

  return {
    async run(before, batch) {
      if (before <= searched || batch <= 0) return 0;
      const from = searched;
      // Moved ahead of the search, so that it is moved back by a task that ends meanwhile.
      searched = before;
      let isComplete = false;
      try {
        const found = await findLogs(database, { from, before, batch });
        const due = await database.write(async (connection) => {
          const stillDue = await removeLogs(connection, found);
          for (const { id, timestamp } of found) if (stillDue.has(id)) held.set(id, timestamp);
          return stillDue;
        });
        isComplete = found.filter(({ isHeld }) => isHeld === 0).length < batch;
        return found.length - due.size;
      } finally {
        if (!isComplete) searchFrom(from);
      }
    },
    noteEnded: searchFrom,
    noteSettled(id) {
      const timestamp = held.get(id);
      if (timestamp === undefined) return;
      held.delete(id);
      searchFrom(timestamp);
    },
  };
}

/** In SQL: whether something of task `t` is due to a webhook, which reads it from the log. */
export const IS_DUE = `exists (
  select 1 from push_notification_configs p where p.task_id = t.id and p.due_at is not null)`;

/** The counts say which statuses there are; each is a range of the index by status. */
const ENDED = `from task_counts c cross join tasks t
    on t.agent = c.agent and t.owner = c.owner and t.status = c.status
    and t.status_timestamp >= :from and t.status_timestamp < :before
  where c.level = 0 and c.status in ${TERMINAL}
    and exists (select 1 from task_events e where e.task_id = t.id)`;

/** Those that are held come last, when there are no others left: all of them at one instant. */
const LOGS = `
  with free as materialized (
    select t.id, t.status_timestamp as timestamp ${ENDED} and not ${IS_DUE} limit :batch)
  select id, timestamp, 0 as isHeld from free
  union all
  select t.id, t.status_timestamp, 1 ${ENDED} and ${IS_DUE} and (select count(*) from free) < :batch`;

interface FoundLog {
  readonly id: string;
  readonly timestamp: number;
  readonly isHeld: number;
}

/** Tasks that ended in that time and still have a log. On a connection of its own, for the first search is long. */
async function findLogs(
  database: Database,
  range: { readonly from: number; readonly before: number; readonly batch: number },
): Promise<readonly FoundLog[]> {
  return database.knex.raw(LOGS, range);
}

/** Removes the logs; those that something is due of, now that nobody else writes, are left, and answered. */
async function removeLogs(
  connection: Connection,
  found: readonly FoundLog[],
): Promise<ReadonlySet<string>> {
  if (found.length === 0) return new Set();
  return transaction(connection, async () => {
    const all = JSON.stringify(found.map(({ id }) => id));
    const due = new Set((await connection.all<{ id: string }>(DUE, [all])).map(({ id }) => id));
    const free = JSON.stringify(found.flatMap(({ id }) => (due.has(id) ? [] : [id])));
    for (const statement of REMOVE) await connection.run(statement, [free]);
    return due;
  });
}

const DUE = `select t.value as id from json_each(?) t
  where ${IS_DUE.replaceAll("t.id", "t.value")}`;

const TASKS = "task_id in (select value from json_each(?1))";

const REMOVE = [
  `delete from push_deliveries where config in (
     select key from push_notification_configs where ${TASKS} and (has_delivered or has_dead))`,
  `update push_notification_configs set has_delivered = 0, has_dead = 0
   where ${TASKS} and (has_delivered or has_dead)`,
  `delete from task_events where ${TASKS}`,
];
