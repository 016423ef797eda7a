import { agentReference } from "./agent-child.ts";
import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const agentCardSignatures: Migration = {
  name: "008-agent-card-signatures",
  async up(knex) {
    await knex.schema.createTable("agent_card_signatures", (table) => {
      agentReference(table);
      table.integer("position").notNullable();
      table.text("protected").notNullable();
      table.text("signature").notNullable();
      jsonColumn(table, "header");
      table.primary(["agent_uuid", "position"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_card_signatures");
  },
};
