import { jsonColumn } from "./columns.ts";
import type { Migration } from "./migration.ts";

/** The API keys that are made while the gateway runs, by their hashes. A key that has ended stays, for those who ask whose it was. */
export const apiKeys: Migration = {
  name: "020-api-keys",
  async up(knex) {
    await knex.schema.createTable("api_keys", (table) => {
      table.increments("position");
      table.text("id").notNullable().unique();
      table.text("hash").notNullable().unique();
      table.text("principal").notNullable();
      table.text("tenant").notNullable();
      jsonColumn(table, "scopes").notNullable();
      table.text("note");
      table.bigInteger("created_at").notNullable();
      table.bigInteger("expires_at");
      table.bigInteger("revoked_at");
      table.bigInteger("last_used_at");
    });
  },
  async down(knex) {
    await knex.schema.dropTable("api_keys");
  },
};
