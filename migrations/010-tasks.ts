import { jsonColumn, keepUpdatedAt, timeColumns } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * Status columns are as of the newest status change, history, artifacts and metadata as of `snapshot_generation`;
 * what came later is in task_events. The indexes are scope, then order of lists; the last one finds work to take up.
 */
export const tasks: Migration = {
  name: "010-tasks",
  async up(knex) {
    await knex.schema.createTable("tasks", (table) => {
      table.text("id").notNullable().primary();
      table.text("agent").notNullable();
      table.text("owner").notNullable();
      table.text("context_id").notNullable();
      table.text("kind").notNullable().defaultTo("task").checkIn(["task"]);
      table.text("status").notNullable().checkIn(STATES);
      table.bigInteger("status_timestamp").notNullable();
      table.bigInteger("generation").notNullable();
      table.bigInteger("snapshot_generation").notNullable();
      table.text("upstream_task_id");
      table.text("upstream_context_id");
      table.text("lease");
      timeColumns(knex, table);
      jsonColumn(table, "status_message");
      jsonColumn(table, "metadata");
      jsonColumn(table, "history").notNullable();
      jsonColumn(table, "artifacts").notNullable();
      table.check("snapshot_generation between 1 and generation", {}, "snapshot_not_ahead");
      table.index(["agent", "owner", ...NEWEST], "tasks_by_owner");
      table.index(["agent", "owner", "status", ...NEWEST], "tasks_by_status");
      table.index(["agent", "owner", "context_id", ...NEWEST], "tasks_by_context");
      table.index(["id"], "tasks_running", {
        predicate: knex.whereRaw("status in ('submitted', 'working')"),
      });
    });
    await keepUpdatedAt(
      knex,
      "tasks",
      ["id"],
      [
        "status",
        "status_message",
        "status_timestamp",
        "history",
        "artifacts",
        "metadata",
        "generation",
        "snapshot_generation",
        "upstream_task_id",
        "upstream_context_id",
        "lease",
      ],
    );
  },
  async down(knex) {
    await knex.schema.dropTable("tasks");
  },
};

/** As 0.3 writes them. */
const STATES = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
  "auth-required",
  "unknown",
];

/** Ascending, read backwards: both columns turn the same way. */
const NEWEST = ["status_timestamp", "id"];
