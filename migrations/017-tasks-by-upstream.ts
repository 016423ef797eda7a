import type { Migration } from "./migration.ts";

/** Finds tasks by the id that they have at their remote agent. Tasks of other agents are not in it, and cost nothing. */
export const tasksByUpstream: Migration = {
  name: "017-tasks-by-upstream",
  async up(knex) {
    await knex.schema.alterTable("tasks", (table) => {
      table.index(["upstream_task_id"], "tasks_by_upstream", {
        predicate: knex.whereRaw("upstream_task_id is not null"),
      });
    });
  },
  async down(knex) {
    await knex.raw("drop index tasks_by_upstream");
  },
};
