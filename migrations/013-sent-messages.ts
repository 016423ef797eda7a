import type { Migration } from "./migration.ts";

/** Which task a message opened, where an agent answers a repeated message with the same task. */
export const sentMessages: Migration = {
  name: "013-sent-messages",
  async up(knex) {
    await knex.schema.createTable("sent_messages", (table) => {
      table.text("agent").notNullable();
      table.text("owner").notNullable();
      table.text("message_id").notNullable();
      table.text("task_id").notNullable().references("id").inTable("tasks").onDelete("CASCADE");
      table.text("fingerprint").notNullable();
      table.bigInteger("created_at").notNullable();
      table.primary(["agent", "owner", "message_id"]);
      table.index(["task_id"], "sent_messages_by_task");
    });
  },
  async down(knex) {
    await knex.schema.dropTable("sent_messages");
  },
};
