/** Statements over many rows at once: one text per number of rows, so that each is prepared once. */
import type { Connection, Value } from "./connection.ts";

/** The most rows in one statement. */
const CHUNK = 64;

export interface MultiRow<T> {
  /** Runs the statement with a row per item; the number of rows it changed. Of `shared` it takes what it has use for. */
  run(
    connection: Connection,
    items: readonly T[],
    shared?: readonly (string | number)[],
  ): Promise<number>;
}

export interface MultiRowParts<T> {
  /** A row in SQL: `$1`, `$2`, … stand for the item's values, `?1`, `?2`, … for the shared ones. */
  readonly row: string;
  /** How many shared values there are. */
  readonly shared?: number;
  /** Puts the list of rows into the statement. */
  readonly sql: (rows: string) => string;
  readonly valuesOf: (item: T) => readonly Value[];
}

export function multiRow<T>({ row, shared = 0, sql, valuesOf }: MultiRowParts<T>): MultiRow<T> {
  const width = Math.max(...[...row.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const texts: string[] = [];

  function textFor(count: number): string {
    const rows = Array.from({ length: count }, (_, index) => {
      const offset = shared + index * width;
      return row.replace(/\$(\d+)/g, (_, number) => `?${offset + Number(number)}`);
    });
    return sql(rows.join(", "));
  }

  return {
    async run(connection, items, sharedValues = []) {
      let changed = 0;
      for (let start = 0; start < items.length; start += CHUNK) {
        const end = Math.min(start + CHUNK, items.length);
        const values: Value[] = sharedValues.slice(0, shared);
        for (const item of items.slice(start, end)) values.push(...valuesOf(item));
        changed += await connection.run((texts[end - start] ??= textFor(end - start)), values);
      }
      return changed;
    },
  };
}
