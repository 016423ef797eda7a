import { createClusteredTable } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * What is kept of each owner's tasks: their number, and the bytes of their texts and logs. It is filled, and kept in step
 * by triggers, only where something is limited by it: the store makes them, since most gateways do without.
 */
export const taskUsage: Migration = {
  name: "021-task-usage",
  async up(knex) {
    await createClusteredTable(knex, "task_usage", (table) => {
      table.text("owner").notNullable().primary();
      table.bigInteger("tasks").notNullable();
      table.bigInteger("bytes").notNullable();
    });
  },
  async down(knex) {
    await knex.schema.dropTable("task_usage");
  },
};
