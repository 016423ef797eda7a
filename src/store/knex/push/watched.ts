/**
 * Which tasks that go on have webhooks, and what those want to hear: kept in memory, so that the events of other tasks
 * cost nothing. A task may be watched for more than its webhooks want, never for less.
 */
import { WANTED, type Interest, type News } from "../../../core/ports/push-store.ts";
import type { TaskChange } from "../../../core/ports/task-store.ts";
import type { Database } from "../database.ts";
import { TERMINAL } from "../rows.ts";

export interface Watched {
  /** What of a change somebody wants to hear; undefined when nobody listens. */
  newsWanted(change: TaskChange): ReadonlySet<News> | undefined;
  add(taskId: string, interest: Interest): void;
  remove(taskId: string): void;
}

/** A task that has ended has no further events: how many of those there are does not matter. */
const WATCHED = `
  select t.id as taskId, p.interest from task_counts c
  cross join tasks t on t.agent = c.agent and t.owner = c.owner and t.status = c.status
  cross join push_notification_configs p on p.task_id = t.id
  where c.level = 0 and c.status not in ${TERMINAL}`;

interface WatchedRow {
  readonly taskId: string;
  readonly interest: Interest;
}

export async function loadWatched({ knex }: Database): Promise<Watched> {
  const tasks = new Map<string, ReadonlySet<News>>();
  const add = (taskId: string, interest: Interest): void => {
    tasks.set(taskId, wider(tasks.get(taskId), WANTED[interest]));
  };
  const rows: readonly WatchedRow[] = await knex.raw(WATCHED);
  for (const { taskId, interest } of rows) add(taskId, interest);

  return {
    newsWanted({ id, pushConfigs }) {
      if (tasks.size === 0 && pushConfigs.length === 0) return undefined;
      let wanted = tasks.get(id);
      for (const { interest } of pushConfigs) wanted = wider(wanted, WANTED[interest]);
      return wanted;
    },
    add,
    remove: (taskId) => tasks.delete(taskId),
  };
}

/** The larger one holds the other: each interest hears all that a lesser one does. */
function wider(one: ReadonlySet<News> | undefined, other: ReadonlySet<News>): ReadonlySet<News> {
  return one !== undefined && one.size >= other.size ? one : other;
}
