import type { Knex } from "knex";

/** The reference of an agent's side table to its card; the rows go with the card. */
export function agentReference(table: Knex.CreateTableBuilder): Knex.ColumnBuilder {
  table.foreign("agent_uuid").references("uuid").inTable("agent_cards").onDelete("CASCADE");
  return table.text("agent_uuid").notNullable();
}
