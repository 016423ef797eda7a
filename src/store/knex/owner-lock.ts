/** One gateway per database file: a second one would not hear of the first one's events. */
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCodeOf, openConnection } from "./connection.ts";

export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Holds a lock on `<file>-owner` until it is released or the process ends, however it ends. Throws when another
 * holder has it.
 */
export async function lockOwner(file: string): Promise<OwnerLock> {
  const connection = await openConnection(`${await canonical(file)}-owner`);
  try {
    await connection.exec("pragma busy_timeout = 200; begin exclusive");
  } catch (thrown) {
    await connection.close();
    if (errorCodeOf(thrown) !== "SQLITE_BUSY") throw thrown;
    throw new Error(`the database ${file} is in use by another gateway`, { cause: thrown });
  }
  return { release: () => connection.close() };
}

/** One name per file, whatever links led to it; the file itself may not be there yet. */
async function canonical(file: string): Promise<string> {
  return realpath(file).catch(async () => join(await realpath(dirname(file)), basename(file)));
}
