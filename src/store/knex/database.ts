/** Opens a SQLite database for the stores: schema up to date, Knex for what is cold, raw handles for what is hot. */
import { randomUUID } from "node:crypto";
import knexOf, { type Knex } from "knex";
import type sqlite3 from "sqlite3";
import { migrationSource } from "../../../migrations/index.ts";
import { errorCodeOf, openConnection, type Connection } from "./connection.ts";
import { createOneAtATime } from "../../one-at-a-time.ts";
import { A2AError } from "../../protocol/errors.ts";
import { lockOwner, type OwnerLock } from "./owner-lock.ts";

export interface Database {
  readonly knex: Knex;
  /** Reads what is committed. */
  read<T>(work: (reader: Connection) => Promise<T>): Promise<T>;
  /**
   * Runs alone among the writes; in a transaction when the work opens one. Throws UNAVAILABLE while the file is locked or
   * the disk is full.
   */
  write<T>(work: (writer: Connection) => Promise<T>): Promise<T>;
  /** Waits for reads and writes under way. */
  close(): Promise<void>;
}

const MEMORY = ":memory:";

/** Opens a file, or a database in memory for ":memory:". Throws when another gateway has the file open. */
export async function openDatabase(file: string): Promise<Database> {
  const inMemory = file === MEMORY;
  const lock = inMemory ? undefined : await lockOwner(file);
  // All connections to one name of this file system in memory see one database; it lives as long as one of them.
  const name = inMemory ? `file:/${randomUUID()}?vfs=memdb` : file;
  const knex = createKnex(name);
  const connections: Connection[] = [];
  try {
    const writer = await openTuned(name);
    connections.push(writer);
    await migrate(knex);
    if (!inMemory) connections.push(await openTuned(name));
    return databaseOf({ knex, lock, connections, writer, reader: connections[1] });
  } catch (thrown) {
    await closeAll(knex, connections, lock);
    throw thrown;
  }
}

/** Brings the schema of a file up to date; the names of the steps that were missing. Throws as openDatabase does. */
export async function migrateFile(file: string): Promise<readonly string[]> {
  const lock = await lockOwner(file);
  const knex = createKnex(file);
  try {
    return await migrate(knex);
  } finally {
    await closeAll(knex, [], lock);
  }
}

interface Parts {
  readonly knex: Knex;
  readonly lock: OwnerLock | undefined;
  readonly connections: readonly Connection[];
  readonly writer: Connection;
  /** Undefined in memory, where a second handle would be kept out while a transaction is open. */
  readonly reader: Connection | undefined;
}

function databaseOf({ knex, lock, connections, writer, reader }: Parts): Database {
  const alone = createOneAtATime();
  return {
    knex,
    write: (work) => alone(() => work(writer)).catch(rethrow),
    // Where readers and writers share a handle, reading in the midst of a transaction would see half of it.
    read: (work) => (reader === undefined ? alone(() => work(writer)) : work(reader)),
    async close() {
      await alone(async () => {});
      await closeAll(knex, connections, lock);
    },
  };
}

/** What passes by itself is told as such: whoever wanted to write may come back, after so many seconds. */
const PASSING: ReadonlyMap<string | undefined, { message: string; retryAfter: number }> = new Map([
  ["SQLITE_BUSY", { message: "the store is busy", retryAfter: 1 }],
  ["SQLITE_FULL", { message: "the store is full", retryAfter: 10 }],
]);

function rethrow(cause: unknown): never {
  const passing = PASSING.get(errorCodeOf(cause));
  if (passing === undefined) throw cause;
  const { message, retryAfter } = passing;
  throw new A2AError("UNAVAILABLE", message, { cause, retryAfter });
}

async function closeAll(
  knex: Knex,
  connections: readonly Connection[],
  lock: OwnerLock | undefined,
): Promise<void> {
  for (const connection of connections) await connection.close();
  await knex.destroy();
  await lock?.release();
}

const PRAGMAS = [
  "busy_timeout = 5000",
  "journal_mode = wal",
  "synchronous = full",
  "foreign_keys = on",
  "wal_autocheckpoint = 4000",
].map((pragma) => `pragma ${pragma};`);

async function openTuned(file: string): Promise<Connection> {
  const connection = await openConnection(file);
  await connection.exec(PRAGMAS.join("\n"));
  return connection;
}

function createKnex(file: string): Knex {
  return knexOf({
    client: "sqlite3",
    connection: { filename: file, flags: ["OPEN_URI", "OPEN_READWRITE", "OPEN_CREATE"] },
    useNullAsDefault: true,
    pool: {
      min: 0,
      max: 1,
      afterCreate(db: sqlite3.Database, done: (error: Error | null, db: sqlite3.Database) => void) {
        db.exec(PRAGMAS.join("\n"), (error) => done(error, db));
      },
    },
  });
}

async function migrate(knex: Knex): Promise<readonly string[]> {
  // Whoever gets here owns the file: a lock in the table is what a killed process left behind.
  await knex.migrate.forceFreeMigrationsLock({ migrationSource });
  const [, names]: [number, readonly string[]] = await knex.migrate.latest({ migrationSource });
  return names;
}
