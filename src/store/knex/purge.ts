/** Removes what has outlived its retention. */
import type { Purged, PurgeLimits } from "../../core/ports/task-store.ts";
import { addCounts, type Move } from "./counts.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { createLogPurge, IS_DUE } from "./purge-logs.ts";
import { stateOf, TERMINAL, WAITING } from "./rows.ts";
import { transaction } from "./transaction.ts";

export interface Purge {
  /** Removes at most so many tasks and logs. */
  run(limits: PurgeLimits, batch: number): Promise<Purged>;
  /** Told of every task that ended, with the instant of its status. */
  noteEnded(timestamp: number): void;
  /** Told of every task of which something was due to a webhook that may not be due any more. */
  noteSettled(id: string): void;
}

export function createPurge(database: Database, onRemoved: (id: string) => void): Purge {
  const logs = createLogPurge(database);
  return {
    async run({ finishedBefore, unfinishedBefore, entriesBefore }, batch) {
      const limits = { finishedBefore, unfinishedBefore, batch };
      const ids = await database.write((connection) => deleteTasks(connection, limits));
      for (const id of ids) onRemoved(id);
      const tasks = ids.length;
      if (entriesBefore === undefined) return { tasks, logs: 0 };
      return { tasks, logs: await logs.run(entriesBefore, batch - tasks) };
    },
    noteEnded: logs.noteEnded,
    noteSettled: logs.noteSettled,
  };
}

/**
 * The counts say which statuses there are; each is a range of the index by status. Side tables go by cascade. A status
 * that is neither the end nor a wait is that of a turn under way, which nothing is taken away from; nor is what a
 * webhook is still to be told of.
 */
const DELETE_TASKS = `
  delete from tasks where id in (
    select t.id from task_counts c cross join tasks t
      on t.agent = c.agent and t.owner = c.owner and t.status = c.status
      and t.status_timestamp < case when c.status in ${TERMINAL} then ?1 when c.status in ${WAITING} then ?2 end
    where c.level = 0 and not ${IS_DUE} limit cast(?3 as integer))
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
