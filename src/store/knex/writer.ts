/** Group commit: drafts that arrive while a transaction is under way go into the next one together. */
import type { Log } from "../../core/ports/log.ts";
import type { Draft, StoredTask, TaskChange } from "../../core/ports/task-store.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Database } from "./database.ts";
import { writeGroup, type Refusals } from "./group.ts";
import type { TaskHooks } from "./push/task-hooks.ts";
import { toRow, type EncodedChange } from "./rows.ts";
import { checkSize, tooLarge } from "./task-size.ts";
import { transaction } from "./transaction.ts";
import type { UsageCounts } from "./usage.ts";

/** The most changes in one transaction: it bounds how long the next ones wait. */
const GROUP = 512;
/** The most drafts that may wait: beyond, a caller had better come back. */
const WAITING = 65_536;

export interface Writer {
  commit(draft: Draft): Promise<StoredTask | undefined>;
  /** Throws when the last group could not be written, and what is written to see whether that is over cannot either. */
  check(): Promise<void>;
  /** Refuses further drafts and waits for those that are here. */
  close(): Promise<void>;
}

export interface WriterParts {
  readonly database: Database;
  readonly now: () => number;
  readonly log: Log | undefined;
  /** The most bytes that are kept of a task that goes on. */
  readonly taskBytes: number;
  /** What takes part in the transactions. */
  readonly hooks: TaskHooks | undefined;
  /** Undefined where nothing is limited by it. */
  readonly usage: UsageCounts | undefined;
  /** Told of what was committed, before its caller is. */
  readonly onCommitted: (encoded: EncodedChange) => void;
}

interface Waiting {
  readonly draft: Draft;
  resolve(stored: StoredTask | undefined): void;
  reject(thrown: unknown): void;
}

export function createWriter(parts: WriterParts): Writer {
  const { database, now, log, taskBytes, hooks, usage, onCommitted } = parts;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let checking: Promise<void> | undefined;
  let failing = false;
  let closed = false;

  /** Never rejects: what keeps a group from being written is told to its callers, and the next ones come all the same. */
  async function flushAll(): Promise<void> {
    // What the same tick brings still comes along.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP);
      waiting = waiting.slice(GROUP);
      try {
        await database.write((connection) =>
          flush(group, async (changes) => {
            const refusals = await writeGroup({ connection, changes, now: now(), hooks, log });
            await usage?.refresh(connection, ownersOf(changes));
            return refusals;
          }),
        );
      } catch (thrown) {
        failing = true;
        // Those that have been answered do not hear it.
        for (const caller of group) caller.reject(thrown);
      }
    }
    flushing = undefined;
  }

  async function flush(
    group: readonly Waiting[],
    write: (changes: readonly EncodedChange[]) => Promise<Refusals>,
  ): Promise<void> {
    const taken = takenOf(group, taskBytes);
    if (taken.size === 0) return;
    const refusals = await write([...taken.keys()]);
    failing = false;
    for (const [encoded, caller] of taken) {
      if (refusals.has(encoded)) {
        caller.reject(refusals.get(encoded));
        continue;
      }
      hooks?.committed(encoded.change);
      onCommitted(encoded);
      caller.resolve(encoded.stored);
    }
    hooks?.groupCommitted();
  }

  async function writeTrial(): Promise<void> {
    try {
      await database.write((connection) => transaction(connection, () => connection.exec(TRIAL)));
      failing = false;
    } finally {
      checking = undefined;
    }
  }

  return {
    async check() {
      if (failing) await (checking ??= writeTrial());
    },
    commit(draft) {
      return new Promise((resolve, reject) => {
        if (closed) throw new Error("the store is closed");
        if (waiting.length >= WAITING)
          throw new A2AError("UNAVAILABLE", "too many writes are waiting", { retryAfter: 1 });
        waiting.push({ draft, resolve, reject });
        flushing ??= flushAll();
      });
    },
    async close() {
      closed = true;
      await flushing;
    },
  };
}

function ownersOf(changes: readonly EncodedChange[]): ReadonlySet<string> {
  return new Set(changes.map(({ change }) => change.owner));
}

/** Leaves nothing behind, but takes a page and writes it, as a group does. */
const TRIAL = "create table trial (n integer); drop table trial";

/** The changes of the drafts; one that cannot say what it changes, or cannot be written as JSON, fails alone. */
function takenOf(
  group: readonly Waiting[],
  taskBytes: number,
): ReadonlyMap<EncodedChange, Waiting> {
  const taken = new Map<EncodedChange, Waiting>();
  for (const caller of group) {
    try {
      taken.set(encodedOf(caller.draft.take(), taskBytes), caller);
    } catch (thrown) {
      caller.reject(thrown);
    }
  }
  return taken;
}

/** Throws TOO_LARGE for a task that is too large to be read again, or even for the text of one. */
function encodedOf(change: TaskChange, taskBytes: number): EncodedChange {
  let encoded: EncodedChange;
  try {
    encoded = toRow(change);
  } catch (thrown) {
    throw thrown instanceof RangeError ? tooLarge(change.id, thrown) : thrown;
  }
  checkSize(encoded, taskBytes);
  return encoded;
}
