/** A raw handle of the SQLite driver with promises and prepared statements: what the hot paths use instead of Knex. */
import sqlite3 from "sqlite3";

export type Value = string | number | null;

/**
 * A parameter that is a number, where SQLite's planner would look at it. It prepares a statement again whenever a bare
 * parameter of that kind has another value, which costs as much as running it.
 */
export const INTEGER = "cast(? as integer)";

export interface Connection {
  /** Runs a statement that answers no rows; the number of rows it changed. Prepared once per text. */
  run(sql: string, values: readonly Value[]): Promise<number>;
  /** The rows of a statement. Prepared once per text. */
  all<Row>(sql: string, values: readonly Value[]): Promise<readonly Row[]>;
  /** Statements that are not worth keeping, such as pragmas. */
  exec(sql: string): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** The database in the file, or of the URI; made when it is not there. */
export async function openConnection(file: string): Promise<Connection> {
  const db = await opened(file);
  const statements = new Map<string, Promise<sqlite3.Statement>>();
  let underWay = 0;
  let closed = false;
  let idle = (): void => undefined;

  function prepared(sql: string): Promise<sqlite3.Statement> {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(db, sql);
    statements.set(sql, statement);
    // Failing may be for now only: the file can be locked, and preparing reads the schema.
    statement.catch(() => statements.delete(sql));
    return statement;
  }

  function tracked<T>(work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new Error("the database is closed"));
    underWay++;
    return work().finally(() => {
      if (--underWay === 0) idle();
    });
  }

  return {
    run: (sql, values) => tracked(async () => changed(await prepared(sql), values)),
    all: <Row>(sql: string, values: readonly Value[]) =>
      tracked(async () => rowsOf<Row>(await prepared(sql), values)),
    exec: (sql) => settled((done) => db.exec(sql, done)),
    async close() {
      closed = true;
      if (underWay > 0) await new Promise<void>((resolve) => (idle = resolve));
      for (const preparation of statements.values()) {
        const statement = await preparation;
        await settled((done) => statement.finalize(() => done(null)));
      }
      await settled((done) => db.close(done));
    },
  };
}

/** Codes of the driver's errors, such as SQLITE_BUSY. */
export function errorCodeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}

function opened(file: string): Promise<sqlite3.Database> {
  const mode = sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE | sqlite3.OPEN_URI;
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, mode, (error) => {
      if (error) reject(error);
      else resolve(db);
    });
  });
}

function prepare(db: sqlite3.Database, sql: string): Promise<sqlite3.Statement> {
  return new Promise((resolve, reject) => {
    const statement = db.prepare(sql, (error) => {
      if (error) reject(error);
      else resolve(statement);
    });
  });
}

function changed(statement: sqlite3.Statement, values: readonly Value[]): Promise<number> {
  return new Promise((resolve, reject) => {
    statement.run(values, function (error: Error | null) {
      if (error) reject(error);
      else resolve(this.changes);
    });
  });
}

/** Never by get(): it leaves the statement open, which pins the read snapshot and with it the log. */
function rowsOf<Row>(
  statement: sqlite3.Statement,
  values: readonly Value[],
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    statement.all<Row>(values, (error, rows) => {
      if (error) reject(error);
      else resolve(rows);
    });
  });
}

function settled(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}
