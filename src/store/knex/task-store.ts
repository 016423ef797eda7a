/** The task store on SQLite. */
import type { Knex } from "knex";
import type { Log } from "../../core/ports/log.ts";
import type { TaskStore } from "../../core/ports/task-store.ts";
import { isTerminal } from "../../protocol/states.ts";
import { createTaskCache } from "./cache.ts";
import { openDatabase, type Database } from "./database.ts";
import { entriesAfter } from "./entries.ts";
import { createLists } from "./lists.ts";
import { createLoader } from "./loader.ts";
import { createPackedReads, PACK_BYTES } from "./packed-reads.ts";
import type { TaskHooks } from "./push/task-hooks.ts";
import { createPurge } from "./purge.ts";
import { createRunning } from "./running.ts";
import { readableBytes, TASK_BYTES } from "./task-size.ts";
import { upstreamsOf } from "./upstreams.ts";
import type { UsageCounts } from "./usage.ts";
import { createWriter } from "./writer.ts";

export interface TaskStoreOptions {
  readonly log?: Log | undefined;
  /** The most tasks that are kept in memory. */
  readonly cacheTasks?: number | undefined;
  /** The most bytes of tasks that are read together. */
  readonly packBytes?: number | undefined;
  /** The most bytes that are kept of a task that goes on; one that ends may take three times as many. */
  readonly taskBytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** What the store of webhooks on the same database has to do with tasks: without it, no webhook hears of them. */
  readonly hooks?: TaskHooks | undefined;
  /** Undefined where nothing is limited by it. */
  readonly usage?: UsageCounts | undefined;
}

/** A task store, with the database under it for what is not hot; closed with the store. */
export interface KnexTaskStore extends TaskStore {
  readonly knex: Knex;
}

const CACHE_TASKS = 10_000;
/** The most bytes, roughly, that they may take. */
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Opens the store in a file, or in memory for ":memory:", its schema brought up to date. Throws when another gateway
 * has the file open.
 */
export async function openTaskStore(
  options: TaskStoreOptions & { readonly file: string },
): Promise<KnexTaskStore> {
  return createTaskStore(await openDatabase(options.file), options);
}

/** The store on an open database, which is closed with it. */
export function createTaskStore(database: Database, options: TaskStoreOptions = {}): KnexTaskStore {
  const {
    log,
    cacheTasks = CACHE_TASKS,
    packBytes = PACK_BYTES,
    taskBytes = TASK_BYTES,
    now = Date.now,
    hooks,
    usage,
  } = options;
  const cache = createTaskCache(cacheTasks, CACHE_BYTES);
  const reads = createPackedReads({
    database,
    cache,
    packBytes,
    largest: readableBytes(taskBytes),
  });
  const load = createLoader(reads);
  const purge = createPurge(database, (id) => {
    cache.evict(id);
    hooks?.removed(id);
  });
  hooks?.onSettled((id) => purge.noteSettled(id));
  const writer = createWriter({
    database,
    now,
    log,
    taskBytes,
    hooks,
    usage,
    onCommitted({ change: { id, status }, stored }) {
      if (stored === undefined) cache.evict(id);
      else cache.put(stored);
      if (isTerminal(status.state)) purge.noteEnded(status.timestamp);
    },
  });

  return {
    knex: database.knex,
    commit: (draft) => writer.commit(draft),
    async load(agent, owner, id) {
      const task = cache.get(id) ?? (await load(id));
      return task?.agent === agent && task.owner === owner ? task : undefined;
    },
    entriesAfter: (id, generation) => entriesAfter(database, id, generation),
    list: createLists({ database, cache, reads }),
    running: createRunning({ database, reads, packBytes, log }),
    findSent: (agent, owner, messageId, since) =>
      findSent(database, { agent, owner, messageId, since }),
    upstreamsOf: (ids) => upstreamsOf(database, ids),
    async purge(limits, batch) {
      const purged = await purge.run(limits, batch);
      if (purged.tasks + purged.logs > 0) await usage?.refreshAll();
      return purged;
    },
    async ping() {
      await writer.check();
      await database.read((reader) => reader.all("select 1", []));
    },
    async close() {
      await writer.close();
      await database.close();
    },
  };
}

const SENT = `select task_id as taskId, fingerprint from sent_messages
  where agent = ? and owner = ? and message_id = ? and created_at >= ?`;

interface SentRow {
  readonly taskId: string;
  readonly fingerprint: string;
}

async function findSent(
  database: Database,
  key: {
    readonly agent: string;
    readonly owner: string;
    readonly messageId: string;
    readonly since: number;
  },
): Promise<SentRow | undefined> {
  const values = [key.agent, key.owner, key.messageId, key.since];
  const [row] = await database.read((reader) => reader.all<SentRow>(SENT, values));
  return row;
}
