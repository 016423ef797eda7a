import { createClusteredTable } from "./columns.ts";
import type { Migration } from "./migration.ts";

/**
 * How many tasks there are per agent, owner and status: at level 0 over all time (bucket 0), at each further level in
 * ever finer buckets of the status timestamp. Rows that reach zero go.
 */
export const taskCounts: Migration = {
  name: "012-task-counts",
  async up(knex) {
    await createClusteredTable(knex, "task_counts", (table) => {
      table.text("agent").notNullable();
      table.text("owner").notNullable();
      table.integer("level").notNullable();
      table.text("status").notNullable();
      table.bigInteger("bucket").notNullable();
      table.bigInteger("n").notNullable();
      table.primary(["level", "agent", "owner", "bucket", "status"]);
      table.check("n >= 0", {}, "counts_not_negative");
    });
    await knex.raw(
      `create trigger task_counts_zero after update of n on task_counts
       for each row when new.n = 0
       begin
         delete from task_counts
         where agent = new.agent and owner = new.owner and level = new.level
           and status = new.status and bucket = new.bucket;
       end`,
    );
  },
  async down(knex) {
    await knex.schema.dropTable("task_counts");
  },
};
