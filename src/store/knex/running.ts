/** The tasks at work, for whoever takes them up after a crash. */
import type { Log } from "../../core/ports/log.ts";
import type { ListedTask, StoredTask, TaskStore } from "../../core/ports/task-store.ts";
import { A2AError } from "../../protocol/errors.ts";
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
  return task.whole && (state === "TASK_STATE_SUBMITTED" || state === "TASK_STATE_WORKING");
}

const RUNNING = `select id from tasks where status in ('submitted', 'working') and id > ? order by id limit ?`;

async function idsAfter(
  database: Database,
  limit: number,
  after: string,
): Promise<readonly string[]> {
  const values = [after, limit];
  const rows = await database.read((reader) => reader.all<{ id: string }>(RUNNING, values));
  return rows.map(({ id }) => id);
}
