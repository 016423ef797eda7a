import { jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const pushNotificationConfigs: Migration = {
  name: "014-push-notification-configs",
  async up(knex) {
    await knex.schema.createTable("push_notification_configs", (table) => {
      table.text("task_id").notNullable().references("id").inTable("tasks").onDelete("CASCADE");
      table.text("id").notNullable();
      table.text("url").notNullable();
      table.text("token");
      jsonColumn(table, "authentication");
      timeColumns(knex, table);
      table.primary(["task_id", "id"]);
    });
    await keepUpdatedAt(
      knex,
      "push_notification_configs",
      ["task_id", "id"],
      ["url", "token", "authentication"],
    );
  },
  async down(knex) {
    await knex.schema.dropTable("push_notification_configs");
  },
};
