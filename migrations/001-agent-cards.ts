import { jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

export const agentCards: Migration = {
  name: "001-agent-cards",
  async up(knex) {
    await knex.schema.createTable("agent_cards", (table) => {
      table.text("uuid").notNullable().primary();
      table.text("protocol_version").notNullable();
      table.text("name").notNullable();
      table.text("description").notNullable();
      table.text("url").notNullable();
      table.text("version").notNullable();
      jsonColumn(table, "default_input_modes").notNullable().defaultTo("[]");
      jsonColumn(table, "default_output_modes").notNullable().defaultTo("[]");
      table
        .text("preferred_transport")
        .notNullable()
        .defaultTo("JSONRPC")
        .checkIn(["JSONRPC", "GRPC", "HTTP+JSON"]);
      table.text("icon_url");
      table.text("documentation_url");
      jsonColumn(table, "provider");
      table.boolean("supports_extended_card").notNullable().defaultTo(false);
      timeColumns(knex, table);
    });
    await keepUpdatedAt(
      knex,
      "agent_cards",
      ["uuid"],
      [
        "protocol_version",
        "name",
        "description",
        "url",
        "version",
        "default_input_modes",
        "default_output_modes",
        "preferred_transport",
        "icon_url",
        "documentation_url",
        "provider",
        "supports_extended_card",
      ],
    );
  },
  async down(knex) {
    await knex.schema.dropTable("agent_cards");
  },
};
