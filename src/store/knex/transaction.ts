import type { Connection } from "./connection.ts";

/**
 * Runs the work in a write transaction: all of it is kept, or nothing when it throws. It takes the write lock at once,
 * for a lock taken halfway can be refused when it is too late to wait.
 */
export async function transaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.run("begin immediate", []);
  try {
    const result = await work();
    await connection.run("commit", []);
    return result;
  } catch (thrown) {
    await rollback(connection);
    throw thrown;
  }
}

/** After some errors, a full disk among them, SQLite has rolled back by itself. */
async function rollback(connection: Connection): Promise<void> {
  await connection.run("rollback", []).catch(() => {});
}

/** Runs the work inside a transaction so that it alone is undone when it throws. */
export async function savepoint<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.run("savepoint one", []);
  try {
    const result = await work();
    await connection.run("release one", []);
    return result;
  } catch (thrown) {
    await connection.run("rollback to one", []);
    await connection.run("release one", []);
    throw thrown;
  }
}
