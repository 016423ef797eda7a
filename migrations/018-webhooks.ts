import type { Knex } from "knex";
import { pushNotificationConfigs } from "./014-push-notification-configs.ts";
import { pushDeliveries } from "./015-push-deliveries.ts";
import { createClusteredTable, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * Webhooks, and what is to be told to them: the tables of the two steps before, which nothing wrote, made anew. When
 * something is due stands once per webhook, since its deliveries go out in their order; a delivery is a small row in
 * the order of its key and has no index. The body of a delivery is the event in the task's log.
 */
export const webhooks: Migration = {
  name: "018-webhooks",
  async up(knex) {
    await dropTables(knex);
    await createConfigs(knex);
    await createDeliveries(knex);
  },
  async down(knex) {
    await dropTables(knex);
    await pushNotificationConfigs.up(knex);
    await pushDeliveries.up(knex);
  },
};

async function dropTables(knex: Knex): Promise<void> {
  await knex.schema.dropTable("push_deliveries");
  await knex.schema.dropTable("push_notification_configs");
}

/**
 * `due_at` is there as long as a delivery is due, and `next` then is a generation that none of those comes before.
 * `gone` is the problem of a receiver that is gone for good. The first index is the order of claims; the others, by
 * what kind of delivery there is, carry the lists.
 */
async function createConfigs(knex: Knex): Promise<void> {
  await knex.schema.createTable("push_notification_configs", (table) => {
    table.integer("key").notNullable().primary();
    table.text("task_id").notNullable().references("id").inTable("tasks").onDelete("CASCADE");
    table.text("id").notNullable();
    table.text("agent").notNullable();
    table.text("owner").notNullable();
    table.text("url").notNullable();
    table.text("secrets");
    table.text("version").notNullable();
    table.text("interest").notNullable().checkIn(["status", "default", "all"]);
    table.bigInteger("since").notNullable();
    table.bigInteger("next");
    table.bigInteger("due_at");
    table.text("gone");
    table.boolean("is_new").notNullable().defaultTo(1);
    table.boolean("is_paused").notNullable().defaultTo(0);
    table.boolean("has_delivered").notNullable().defaultTo(0);
    table.boolean("has_dead").notNullable().defaultTo(0);
    timeColumns(knex, table);
    table.unique(["task_id", "id"]);
    table.check("(due_at is null) = (next is null)", {}, "due_has_a_next");
    table.index(["due_at"], "push_configs_due", {
      predicate: knex.whereRaw("due_at is not null and is_paused = 0"),
    });
    for (const [name, predicate] of LISTED)
      table.unique(["task_id", "id", "agent"], {
        indexName: name,
        predicate: knex.whereRaw(predicate),
      });
  });
  await keepUpdatedAt(
    knex,
    "push_notification_configs",
    ["key"],
    ["url", "secrets", "version", "interest", "since", "is_paused"],
  );
}

const LISTED = [
  ["push_configs_with_due", "due_at is not null"],
  ["push_configs_with_delivered", "has_delivered = 1"],
  ["push_configs_with_dead", "has_dead = 1"],
] as const;

async function createDeliveries(knex: Knex): Promise<void> {
  await createClusteredTable(knex, "push_deliveries", (table) => {
    table
      .integer("config")
      .notNullable()
      .references("key")
      .inTable("push_notification_configs")
      .onDelete("CASCADE");
    table.bigInteger("generation").notNullable();
    table.text("state").notNullable().checkIn(["due", "delivered", "dead"]);
    table.integer("attempts").notNullable().defaultTo(0);
    table.text("problem");
    table.bigInteger("created_at").notNullable();
    table.bigInteger("updated_at").notNullable();
    table.primary(["config", "generation"]);
  });
}
