import type { Knex } from "knex";

/** One step of the schema. Its name is what the database remembers: never rename one that was released. */
export interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}
