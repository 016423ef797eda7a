import { agentReference } from "./agent-child.ts";
import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const agentSecuritySchemes: Migration = {
  name: "006-agent-security-schemes",
  async up(knex) {
    await knex.schema.createTable("agent_security_schemes", (table) => {
      agentReference(table);
      table.text("name").notNullable();
      table
        .text("type")
        .notNullable()
        .checkIn(["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"]);
      jsonColumn(table, "definition").notNullable();
      table.primary(["agent_uuid", "name"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_security_schemes");
  },
};
