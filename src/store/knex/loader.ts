/** Reads tasks by id: those that are asked for in one tick, or while a read is under way, share one query. */
import type { StoredTask } from "../../core/ports.ts";
import type { TaskCache } from "./cache.ts";
import type { Database } from "./database.ts";
import { fromRow, PACKED_TASKS, type PackedRow } from "./rows.ts";

export interface Loader {
  /** The task of that id, whoever's it is, read anew. */
  load(id: string): Promise<StoredTask | undefined>;
  /** Those of the tasks that are there, in one query. */
  loadAll(ids: readonly string[]): Promise<ReadonlyMap<string, StoredTask>>;
}

const BY_IDS = `select ${PACKED_TASKS} as packed from tasks t where t.id in (select value from json_each(?))`;

export function createLoader(database: Database, cache: TaskCache): Loader {
  let wanted = new Set<string>();
  let next: Promise<ReadonlyMap<string, StoredTask>> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function loadWanted(): Promise<ReadonlyMap<string, StoredTask>> {
    await last;
    await new Promise(setImmediate);
    const ids = [...wanted];
    wanted = new Set();
    next = undefined;
    const tasks = loadAll(ids);
    last = tasks.catch(() => {});
    return tasks;
  }

  async function loadAll(ids: readonly string[]): Promise<ReadonlyMap<string, StoredTask>> {
    const fill = cache.startFill();
    let tasks: readonly StoredTask[] = [];
    try {
      const values = [JSON.stringify(ids)];
      const rows = await database.read((reader) => reader.all<PackedRow>(BY_IDS, values));
      tasks = rows.flatMap(fromRow);
      return new Map(tasks.map((task) => [task.id, task]));
    } finally {
      fill.end(tasks);
    }
  }

  return {
    async load(id) {
      wanted.add(id);
      next ??= loadWanted();
      return (await next).get(id);
    },
    loadAll,
  };
}
