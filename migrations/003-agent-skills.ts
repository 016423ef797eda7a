import { agentReference } from "./agent-child.ts";
import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const agentSkills: Migration = {
  name: "003-agent-skills",
  async up(knex) {
    await knex.schema.createTable("agent_skills", (table) => {
      agentReference(table);
      table.text("id").notNullable();
      table.integer("position").notNullable();
      table.text("name").notNullable();
      table.text("description").notNullable();
      jsonColumn(table, "tags").notNullable().defaultTo("[]");
      jsonColumn(table, "examples");
      jsonColumn(table, "input_modes");
      jsonColumn(table, "output_modes");
      jsonColumn(table, "security_requirements");
      table.primary(["agent_uuid", "id"]);
      table.unique(["agent_uuid", "position"]);
    });
  },
  async down(knex) {
    await knex.schema.dropTable("agent_skills");
  },
};
