/**
 * Recent tasks in memory, as the store holds them, bounded in number and in bytes. There are two generations: what is
 * written or used goes into the young one; when that holds half of what is allowed, it becomes the old one, and what
 * nobody used meanwhile goes with the old one. That is nearly least-recently-used, without work per task.
 */
import type { ListedTask, StoredTask } from "../../core/ports/task-store.ts";
import { fragmentsOf } from "../../protocol/ready-made.ts";

export interface TaskCache {
  get(id: string): StoredTask | undefined;
  /** A task as it was just written. */
  put(task: StoredTask): void;
  /** What is known of that task is no longer so. */
  evict(id: string): void;
  /** To be called before a read that is going to fill the cache. */
  startFill(): Fill;
}

export interface Fill {
  /**
   * Keeps what was read, except tasks that are not whole, and those that were written since the read began: the read may
   * not have seen that.
   */
  end(tasks: readonly ListedTask[]): void;
}

export function createTaskCache(maxTasks: number, maxBytes: number): TaskCache {
  const fills = new Set<Set<string>>();
  let young = new Map<string, StoredTask>();
  let old = new Map<string, StoredTask>();
  let youngBytes = 0;

  function insert(task: StoredTask): void {
    const bytes = bytesOf(task);
    if (bytes > maxBytes / 8) return;
    young.set(task.id, task);
    youngBytes += bytes;
    if (young.size <= maxTasks / 2 && youngBytes <= maxBytes / 2) return;
    old = young;
    young = new Map();
    youngBytes = 0;
  }

  function written(id: string): void {
    for (const ids of fills) ids.add(id);
    young.delete(id);
    old.delete(id);
  }

  return {
    get(id) {
      const task = young.get(id);
      if (task !== undefined) return task;
      const older = old.get(id);
      if (older !== undefined) insert(older);
      return older;
    },
    put(task) {
      written(task.id);
      insert(task);
    },
    evict: written,
    startFill() {
      const writtenSince = new Set<string>();
      fills.add(writtenSince);
      return {
        end(tasks) {
          fills.delete(writtenSince);
          // With a tail, the task is at work: it would be evicted before it is asked for again.
          for (const task of tasks)
            if (task.whole && task.tail.length === 0 && !writtenSince.has(task.id)) insert(task);
        },
      };
    },
  };
}

/** Roughly: the text, its protobuf form that others keep with it, and what the objects around them take. */
function bytesOf(task: StoredTask): number {
  let bytes = 1000;
  for (const { members } of fragmentsOf(task.task)) bytes += 2 * members.length;
  return bytes;
}
