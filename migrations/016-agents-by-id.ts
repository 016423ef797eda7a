import { createClusteredTable, jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * What is kept of agents under the ids by which they are served: the definitions of those that were added at run time,
 * the cards that remote ones were found with, which ones are switched off, and whose the recorded cards are. None of
 * these needs another: a configured agent has no definition here, and one that is switched off need not have a card.
 */
export const agentsById: Migration = {
  name: "016-agents-by-id",
  async up(knex) {
    await knex.schema.createTable("added_agents", (table) => {
      table.increments("position");
      table.text("id").notNullable().unique();
      jsonColumn(table, "definition").notNullable();
      timeColumns(knex, table);
    });
    await keepUpdatedAt(knex, "added_agents", ["id"], ["definition"]);
    await knex.schema.createTable("found_cards", (table) => {
      table.text("agent_id").notNullable();
      table.integer("position").notNullable();
      table.text("base");
      table.text("url");
      // JSON of others: SQLite would refuse what is nested more than a thousand levels deep.
      table.text("card").notNullable();
      table.text("etag");
      table.bigInteger("fetched_at").notNullable();
      table.primary(["agent_id", "position"]);
    });
    await createClusteredTable(knex, "disabled_agents", (table) => {
      table.text("agent_id").notNullable().primary();
    });
    await knex.schema.alterTable("agent_cards", (table) => {
      table.text("agent_id");
      // Of all rows that were written of the card: it tells whether they have to be written again.
      table.text("digest");
      table.unique(["agent_id"], { indexName: "agent_cards_by_agent", useConstraint: false });
    });
  },
  async down(knex) {
    await knex.raw("drop index agent_cards_by_agent");
    // Not by the schema builder, which would build the table anew without its trigger.
    for (const column of ["digest", "agent_id"])
      await knex.raw("alter table agent_cards drop column ??", [column]);
    for (const table of ["disabled_agents", "found_cards", "added_agents"])
      await knex.schema.dropTable(table);
  },
};
