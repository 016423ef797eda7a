/** Commits to the store in the file that its argument names, and prints what was acknowledged, until it is killed. */
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { completed, draft, entries, newTask, next } from "./changes.ts";

const store = await openTaskStore({ file: process.argv[2] ?? "" });

for (let writer = 0; writer < 16; writer++) void writeForEver();

async function writeForEver(): Promise<void> {
  for (;;) {
    const first = newTask({ entries: entries(1, 2) });
    const chunk = next(first, { entries: entries(3, 5) });
    for (const change of [first, chunk, completed(chunk, 2000)]) {
      await store.commit(draft(change));
      console.log(`${change.id} ${change.base + change.entries.length}`);
    }
  }
}
