import { agentReference } from "./agent-child.ts";
import { jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

/** What deployment adds to a card. */
export const agentMetadata: Migration = {
  name: "009-agent-metadata",
  async up(knex) {
    await knex.schema.createTable("agent_metadata", (table) => {
      agentReference(table).primary();
      table.integer("port").unique().checkBetween([1, 65535]);
      table.boolean("is_enabled").notNullable().defaultTo(true);
      table.boolean("is_primary").notNullable().defaultTo(false);
      table.text("system_prompt");
      jsonColumn(table, "mcp_servers");
      timeColumns(knex, table);
      table.unique(["is_primary"], {
        indexName: "agent_metadata_one_primary",
        useConstraint: false,
        predicate: knex.whereRaw("is_primary"),
      });
    });
    await keepUpdatedAt(
      knex,
      "agent_metadata",
      ["agent_uuid"],
      ["port", "is_enabled", "is_primary", "system_prompt", "mcp_servers"],
    );
  },
  async down(knex) {
    await knex.schema.dropTable("agent_metadata");
  },
};
