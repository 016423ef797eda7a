import type { Connection } from "./connection.ts";

/**
 * Runs the work in a write transaction: all of it is kept, or nothing when it throws. It takes the write lock at once,
 * for a lock taken halfway can be refused when it is too late to wait.
 */
export async function transaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await begin(connection);
  try {
    const result = await work();
    await connection.run("commit", []);
    return result;
  } catch (thrown) {
    throw await undone(thrown, () => connection.run("rollback", []));
  }
}

/** Runs the work inside a transaction so that it alone is undone when it throws. */
export async function savepoint<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.run("savepoint one", []);
  try {
    const result = await work();
    await connection.run("release one", []);
    return result;
  } catch (thrown) {
    throw await undone(thrown, async () => {
      await connection.run("rollback to one", []);
      await connection.run("release one", []);
    });
  }
}

/** A transaction that could not be rolled back when it failed is still open: it goes before the next one begins. */
async function begin(connection: Connection): Promise<void> {
  try {
    await connection.run("begin immediate", []);
  } catch (thrown) {
    if (!says(thrown, "cannot start a transaction within a transaction")) throw thrown;
    await connection.run("rollback", []);
    await connection.run("begin immediate", []);
  }
}

/** Undoes what failed work has written; the error that its caller gets, which names both faults when undoing failed. */
async function undone(thrown: unknown, undo: () => Promise<unknown>): Promise<unknown> {
  try {
    await undo();
  } catch (failure) {
    // After some errors, a full disk among them, SQLite has rolled back by itself.
    if (!says(failure, "no transaction is active") && !says(failure, "no such savepoint"))
      return new AggregateError([thrown, failure], "failed work could not be rolled back");
  }
  return thrown;
}

/** The driver has one code for these faults and many others. */
function says(thrown: unknown, words: string): boolean {
  return thrown instanceof Error && thrown.message.includes(words);
}
