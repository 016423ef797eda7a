import { jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

/** What is still to be told to a webhook, one row per event and config. */
export const pushDeliveries: Migration = {
  name: "015-push-deliveries",
  async up(knex) {
    await knex.schema.createTable("push_deliveries", (table) => {
      table.text("task_id").notNullable();
      table.text("config_id").notNullable();
      table.bigInteger("generation").notNullable();
      jsonColumn(table, "body").notNullable();
      table.text("state").notNullable().defaultTo("due").checkIn(["due", "delivered", "given-up"]);
      table.integer("attempts").notNullable().defaultTo(0);
      table.bigInteger("due_at").notNullable();
      table.text("last_error");
      timeColumns(knex, table);
      table.primary(["task_id", "config_id", "generation"]);
      table
        .foreign(["task_id", "config_id"])
        .references(["task_id", "id"])
        .inTable("push_notification_configs")
        .onDelete("CASCADE");
      table.index(["due_at"], "push_deliveries_due", { predicate: knex.whereRaw("state = 'due'") });
    });
    await keepUpdatedAt(
      knex,
      "push_deliveries",
      ["task_id", "config_id", "generation"],
      ["state", "attempts", "due_at", "last_error"],
    );
  },
  async down(knex) {
    await knex.schema.dropTable("push_deliveries");
  },
};
