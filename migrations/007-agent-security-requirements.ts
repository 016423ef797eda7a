import { agentReference } from "./agent-child.ts";
import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

/** `schemes` maps the name of each scheme that must be met to its scopes; any one row lets a caller in. */
export const agentSecurityRequirements: Migration = {
  name: "007-agent-security-requirements",
  async up(knex) {
    await knex.schema.createTable("agent_security_requirements", (table) => {
      agentReference(table);
      table.integer("position").notNullable();
      jsonColumn(table, "schemes").notNullable();
      table.primary(["agent_uuid", "position"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_security_requirements");
  },
};
