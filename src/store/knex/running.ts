/** The tasks at work, and those that may go on by themselves, for whoever takes them up after a crash. */
import type { Log } from "../../core/ports/log.ts";
import type { ListedTask, StoredTask, TaskStore } from "../../core/ports/task-store.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { TaskState } from "../../protocol/states.ts";
import type { Database } from "./database.ts";
import type { PackedReads } from "./packed-reads.ts";

export interface RunningParts {
  readonly database: Database;
  readonly reads: PackedReads;
  readonly packBytes: number;
  readonly log: Log | undefined;
}

export function createRunning({
  database,
  reads,
  packBytes,
  log,
}: RunningParts): TaskStore["running"] {
  /** The first of them that can be read; nothing when none can, or none is there any more. */
  async function firstOf(ids: readonly string[]): Promise<readonly StoredTask[]> {
    try {
      const { tasks } = await reads.first(ids, { artifacts: true, maxBytes: packBytes });
      return tasks.filter(isAtWork).sort((one, other) => (one.id < other.id ? -1 : 1));
    } catch (thrown) {
      if (!A2AError.is(thrown) || thrown.reason !== "TOO_LARGE") throw thrown;
      // It must not keep the others from being taken up.
      log?.error({ err: thrown, task: ids[0] }, "unfinished task left as it is");
      return [];
    }
  }

  return async (limit, after = "") => {
    for (let last = after; ;) {
      const ids = await idsAfter(database, limit, last);
      const [first] = ids;
      if (first === undefined) return [];
      const tasks = await firstOf(ids);
      if (tasks.length > 0) return tasks;
      last = first;
    }
  };
}

function isAtWork(task: ListedTask): task is StoredTask {
  const { state } = task.status;
  return task.whole && AT_WORK.has(state);
}

const AT_WORK: ReadonlySet<TaskState> = new Set([
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_AUTH_REQUIRED",
]);

/** Each half is a range of an index of its own. */
const RUNNING = `select id from (
    select id from tasks where status in ('submitted', 'working') and id > ?1
    union all
    select id from tasks where status = 'auth-required' and upstream_task_id is not null and id > ?1)
  order by id limit cast(?2 as integer)`;

async function idsAfter(
  database: Database,
  limit: number,
  after: string,
): Promise<readonly string[]> {
  const values = [after, limit];
  const rows = await database.read((reader) => reader.all<{ id: string }>(RUNNING, values));
  return rows.map(({ id }) => id);
}
