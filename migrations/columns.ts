/** What the schema builder of Knex has no word for, per database. */
import type { Knex } from "knex";

/** A column of JSON text that keeps its text as it was written, and refuses what is not JSON. */
export function jsonColumn(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder {
  table.check("json_valid(??)", [name], `${name}_is_json`);
  return table.text(name);
}

/** The pair of columns that say when a row was made and last changed, in milliseconds since the epoch. */
export function timeColumns(knex: Knex, table: Knex.CreateTableBuilder): void {
  table
    .bigInteger("created_at")
    .notNullable()
    .defaultTo(knex.raw(`(${NOW})`));
  table
    .bigInteger("updated_at")
    .notNullable()
    .defaultTo(knex.raw(`(${NOW})`));
}

/**
 * Keeps `updated_at` for whoever changes a row without setting it. `columns` are all the others that may change:
 * with `updated_at` among them the trigger would start itself.
 */
export async function keepUpdatedAt(
  knex: Knex,
  table: string,
  key: readonly string[],
  columns: readonly string[],
): Promise<void> {
  const changed = columns.map(() => "??").join(", ");
  const same = key.map(() => "?? = new.??").join(" and ");
  await knex.raw(
    `create trigger ?? after update of ${changed} on ??
     for each row when new.updated_at = old.updated_at
     begin update ?? set updated_at = ${NOW} where ${same}; end`,
    [`${table}_updated_at`, ...columns, table, table, ...key.flatMap((name) => [name, name])],
  );
}

/** Creates a table of small rows that live in its primary key, without a second copy. */
export async function createClusteredTable(
  knex: Knex,
  name: string,
  build: (table: Knex.CreateTableBuilder) => void,
): Promise<void> {
  await knex.raw(`${knex.schema.createTable(name, build).toQuery()} without rowid`);
}

const NOW = "cast(unixepoch('subsec') * 1000 as integer)";
