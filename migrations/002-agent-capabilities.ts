import { agentReference } from "./agent-child.ts";
import type { Migration } from "./migration.ts";

export const agentCapabilities: Migration = {
  name: "002-agent-capabilities",
  async up(knex) {
    await knex.schema.createTable("agent_capabilities", (table) => {
      agentReference(table).primary();
      table.boolean("streaming").notNullable().defaultTo(false);
      table.boolean("push_notifications").notNullable().defaultTo(false);
      table.boolean("state_transition_history").notNullable().defaultTo(false);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_capabilities");
  },
};
