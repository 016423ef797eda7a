/** Loads single tasks: those that are asked for in one tick, or while a read is under way, share the next one. */
import type { StoredTask } from "../../core/ports/task-store.ts";
import type { PackedReads } from "./packed-reads.ts";

/** The task of that id, whoever's it is, read anew. */
export type Load = (id: string) => Promise<StoredTask | undefined>;

interface Wanted {
  readonly promise: Promise<StoredTask | undefined>;
  resolve(task: StoredTask | undefined): void;
  reject(thrown: unknown): void;
}

export function createLoader(reads: PackedReads): Load {
  let wanted = new Map<string, Wanted>();
  let reading = false;

  /** Never rejects: what fails is told to those who wait for it. */
  async function readWanted(): Promise<void> {
    while (wanted.size > 0) {
      await new Promise(setImmediate);
      const waiting = wanted;
      wanted = new Map();
      try {
        for await (const { ids, tasks, failure } of reads.whole([...waiting.keys()])) {
          for (const task of tasks) waiting.get(task.id)?.resolve(task);
          for (const id of ids) {
            if (failure === undefined) waiting.get(id)?.resolve(undefined);
            else waiting.get(id)?.reject(failure);
            waiting.delete(id);
          }
        }
      } catch (thrown) {
        for (const { reject } of waiting.values()) reject(thrown);
      }
    }
    reading = false;
  }

  return (id) => {
    const known = wanted.get(id) ?? wantedOf();
    wanted.set(id, known);
    if (!reading) {
      reading = true;
      void readWanted();
    }
    return known.promise;
  };
}

function wantedOf(): Wanted {
  let settle: Omit<Wanted, "promise"> | undefined;
  const promise = new Promise<StoredTask | undefined>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: (task) => settle?.resolve(task),
    reject: (thrown) => settle?.reject(thrown),
  };
}
