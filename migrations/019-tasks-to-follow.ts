import type { Migration } from "./migration.ts";

/** Finds the tasks at remote agents that wait for an authorization: they may go on by themselves (spec 7.6.1). */
export const tasksToFollow: Migration = {
  name: "019-tasks-to-follow",
  async up(knex) {
    await knex.schema.alterTable("tasks", (table) => {
      table.index(["id"], "tasks_to_follow", {
        predicate: knex.whereRaw("status = 'auth-required' and upstream_task_id is not null"),
      });
    });
  },
  async down(knex) {
    await knex.raw("drop index tasks_to_follow");
  },
};
