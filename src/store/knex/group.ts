/** One transaction for many changes: they share it, but not each other's faults. */
import type { Log } from "../../core/ports/log.ts";
import { ConflictError } from "../../core/ports/task-store.ts";
import { writeChanges } from "./changes.ts";
import { errorCodeOf, type Connection } from "./connection.ts";
import type { TaskHooks } from "./push/task-hooks.ts";
import type { EncodedChange } from "./rows.ts";
import { savepoint, transaction } from "./transaction.ts";

/** How often a transaction is tried while something else locks the file; each try waits for the busy timeout. */
const TRIES = 3;

interface Group {
  readonly connection: Connection;
  readonly changes: readonly EncodedChange[];
  readonly now: number;
  readonly hooks: TaskHooks | undefined;
  readonly log: Log | undefined;
}

/** Why changes were not written, per change. Throws when nothing at all could be written. */
export type Refusals = ReadonlyMap<EncodedChange, unknown>;

const NONE: Refusals = new Map();

/** Writes the group; what was refused does not keep the rest from being written. */
export async function writeGroup(group: Group): Promise<Refusals> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeTogether(group);
    } catch (thrown) {
      if (attempt === TRIES || errorCodeOf(thrown) !== "SQLITE_BUSY") throw thrown;
      group.log?.warn({ attempt, changes: group.changes.length }, "the database is locked");
    }
  }
}

async function writeTogether(group: Group): Promise<Refusals> {
  const { connection, changes } = group;
  try {
    await transaction(connection, async () => {
      if (!(await writeChanges(connection, changes, group))) throw new Refused();
    });
    return NONE;
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return writeOneByOne(group);
  }
}

/** Which of them was refused is found by writing each on its own, still for the price of one transaction. */
async function writeOneByOne(group: Group): Promise<Refusals> {
  const { connection, changes } = group;
  const refusals = new Map<EncodedChange, unknown>();
  await transaction(connection, async () => {
    for (const encoded of changes) {
      try {
        await savepoint(connection, async () => {
          if (!(await writeChanges(connection, [encoded], group))) throw conflictOf(encoded);
        });
      } catch (thrown) {
        if (!ConflictError.is(thrown) && !isRefusal(thrown)) throw thrown;
        refusals.set(encoded, thrown);
      }
    }
  });
  return refusals;
}

/** A guard held in one of the group's statements. */
class Refused extends Error {}

/** True for what is the fault of a change, not of the database. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof Refused || errorCodeOf(thrown) === "SQLITE_CONSTRAINT";
}

function conflictOf({ change: { id, base } }: EncodedChange): ConflictError {
  return new ConflictError(`task ${id} is not at generation ${base} or has ended`);
}
