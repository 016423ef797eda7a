import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * The log. A row holds what one commit added to one task: the entries of the generations `first` to `last`. Two
 * successors of one generation cannot both be there, for they would share the primary key.
 */
export const taskEvents: Migration = {
  name: "011-task-events",
  async up(knex) {
    await knex.schema.createTable("task_events", (table) => {
      table.text("task_id").notNullable().references("id").inTable("tasks").onDelete("CASCADE");
      table.bigInteger("first").notNullable();
      table.bigInteger("last").notNullable();
      jsonColumn(table, "entries").notNullable();
      table.primary(["task_id", "first"]);
      table.check("first between 1 and last", {}, "entries_in_order");
    });
  },
  async down(knex) {
    await knex.schema.dropTable("task_events");
  },
};
