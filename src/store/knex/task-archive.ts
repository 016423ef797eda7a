/** The task archive on SQLite: what those who run the gateway look up of tasks, whoever's they are. */
import type { ArchivedTask, FoundTask, TaskArchive } from "../../core/ports/task-search.ts";
import type { StoredTask } from "../../core/ports/task-store.ts";
import { archivedEntries } from "./archive-entries.ts";
import { searchTasks, upstreamOf, type UpstreamColumns } from "./archive-search.ts";
import { createTaskCache } from "./cache.ts";
import type { Database } from "./database.ts";
import { createPackedReads, PACK_BYTES, type PackedReads } from "./packed-reads.ts";
import { readableBytes, TASK_BYTES } from "./task-size.ts";

/** The archive of an open database, which others may use too and its opener closes. */
export function createTaskArchive(database: Database): TaskArchive {
  const reads = createPackedReads({
    database,
    // Of no size: what few look at now and then shall not take the room of what many read.
    cache: createTaskCache(0, 0),
    packBytes: PACK_BYTES,
    largest: readableBytes(TASK_BYTES),
  });
  return {
    search: (query) => searchTasks(database, query),
    find: (id) => find(database, reads, id),
    whose: (id) => whose(database, id),
    entries: (id, after, limit, bytes = PACK_BYTES) =>
      archivedEntries(database, { id, after, limit, bytes: Math.min(bytes, PACK_BYTES) }),
  };
}

type Owned = Pick<FoundTask, "agent" | "owner">;

async function whose(database: Database, id: string): Promise<Owned | undefined> {
  const sql = "select agent, owner from tasks where id = ?";
  const [row] = await database.read((reader) => reader.all<Owned>(sql, [id]));
  return row;
}

const ORIGIN = `select created_at as createdAt, upstream_task_id as upstreamTaskId,
    upstream_context_id as upstreamContextId
  from tasks where id = ?`;

interface OriginRow extends UpstreamColumns {
  readonly createdAt: number;
}

async function find(
  database: Database,
  reads: PackedReads,
  id: string,
): Promise<ArchivedTask | undefined> {
  const stored = await storedTask(reads, id);
  const [origin] = await database.read((reader) => reader.all<OriginRow>(ORIGIN, [id]));
  // It may have been removed in between.
  if (stored === undefined || origin === undefined) return undefined;
  return { stored, createdAt: origin.createdAt, upstream: upstreamOf(origin) };
}

async function storedTask(reads: PackedReads, id: string): Promise<StoredTask | undefined> {
  for await (const { tasks, failure } of reads.whole([id])) {
    if (failure !== undefined) throw failure;
    if (tasks.length > 0) return tasks[0];
  }
  return undefined;
}
