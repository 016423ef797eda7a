/**
 * Statements over many rows at once, handed over as one JSON text: the driver's price is per value, and is paid by the
 * thread that answers callers.
 */
import type { Connection, Value } from "../connection.ts";

export interface PackedRows<T> {
  /** Runs the statement with a row per item; the number of rows it changed. Does nothing without items. */
  run(connection: Connection, items: readonly T[], now: number): Promise<number>;
}

export interface PackedRowsParts<T> {
  /** The columns of the rows, which the statement finds in `v`. */
  readonly columns: readonly string[];
  /** The statement, with `?1` for the instant of the write. */
  readonly sql: string;
  readonly valuesOf: (item: T) => readonly Value[];
}

export function packedRows<T>({ columns, sql, valuesOf }: PackedRowsParts<T>): PackedRows<T> {
  const values = columns.map((_, index) => `value ->> ${index}`);
  const text = `with v (${columns.join(", ")}) as (select ${values.join(", ")} from json_each(?2)) ${sql}`;
  return {
    async run(connection, items, now) {
      if (items.length === 0) return 0;
      return connection.run(text, [now, JSON.stringify(items.map(valuesOf))]);
    },
  };
}
