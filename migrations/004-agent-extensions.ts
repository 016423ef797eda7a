import { agentReference } from "./agent-child.ts";
import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const agentExtensions: Migration = {
  name: "004-agent-extensions",
  async up(knex) {
    await knex.schema.createTable("agent_extensions", (table) => {
      agentReference(table);
      table.text("uri").notNullable();
      table.integer("position").notNullable();
      table.text("description");
      table.boolean("required").notNullable().defaultTo(false);
      jsonColumn(table, "params");
      table.primary(["agent_uuid", "uri"]);
      table.unique(["agent_uuid", "position"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_extensions");
  },
};
