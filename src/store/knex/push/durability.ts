/** Transactions that do not wait for the disk, among others that must. */
import { A2AError } from "../../../protocol/errors.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { transaction } from "../transaction.ts";

export interface Durability {
  /**
   * Runs the work in a transaction that does not wait for the disk: with the next commit that does it is on the disk, and
   * until then a power cut may take it back. To be called within a write of the database, outside transactions.
   */
  unsynced(connection: Connection, work: () => Promise<void>): Promise<void>;
  /**
   * To be called within each transaction that has to wait for the disk. Throws UNAVAILABLE when it would not, because the
   * connection could not be brought back to waiting, and has that tried again.
   */
  check(): void;
}

export function createDurability(database: Database): Durability {
  /** Whether commits do not wait although they should. */
  let isLost = false;
  let mending: Promise<void> | undefined;

  async function restore(connection: Connection): Promise<void> {
    isLost = true;
    await syncAgain(connection);
    isLost = false;
  }

  async function mend(): Promise<void> {
    try {
      await database.write(restore);
    } catch {
      // Tried again with the next commit, which says why it is refused.
    } finally {
      mending = undefined;
    }
  }

  return {
    async unsynced(connection, work) {
      await connection.exec("pragma synchronous = normal");
      try {
        await transaction(connection, work);
      } finally {
        await restore(connection);
      }
    },
    check() {
      if (!isLost) return;
      mending ??= mend();
      const text = "the store cannot wait for the disk";
      throw new A2AError("UNAVAILABLE", text, { retryAfter: 1 });
    },
  };
}

/** Inside a transaction that could not be rolled back, it cannot be changed. */
async function syncAgain(connection: Connection): Promise<void> {
  try {
    await connection.exec(SYNCED);
  } catch {
    await connection.exec(`rollback; ${SYNCED}`);
  }
}

const SYNCED = "pragma synchronous = full";
