import { agentReference } from "./agent-child.ts";
import type { Migration } from "./migration.ts";

/** The binding is free text: a card may name one by a URI (spec 4.4.6). */
export const agentInterfaces: Migration = {
  name: "005-agent-interfaces",
  async up(knex) {
    await knex.schema.createTable("agent_interfaces", (table) => {
      agentReference(table);
      table.integer("position").notNullable();
      table.text("url").notNullable();
      table.text("protocol_binding").notNullable();
      table.text("protocol_version").notNullable();
      table.text("tenant");
      table.primary(["agent_uuid", "position"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_interfaces");
  },
};
