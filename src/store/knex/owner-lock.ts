/** One gateway per database file: a second one would not hear of the first one's events. */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCodeOf, openConnection } from "./connection.ts";

export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Holds a lock on `<file>-owner` until it is released or the process ends, however it ends. Throws when another
 * holder has it, and for a file with hard links: under another name it would have another lock.
 */
export async function lockOwner(file: string): Promise<OwnerLock> {
  const name = await canonical(file);
  if (await hasHardLinks(name))
    throw new Error(`the database ${file} has hard links: another gateway may use one of them`);
  const path = `${name}-owner`;
  const connection = await openConnection(path).catch((cause: unknown) => {
    throw new Error(`the database ${file} cannot be opened`, { cause });
  });
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
  return realpath(file).catch(async () => {
    const folder = await realpath(dirname(file)).catch((cause: unknown) => {
      throw new Error(`there is no folder ${dirname(file)} for the database`, { cause });
    });
    return join(folder, basename(file));
  });
}

async function hasHardLinks(path: string): Promise<boolean> {
  const links = await stat(path).then(
    ({ nlink }) => nlink,
    () => 1,
  );
  return links > 1;
}
