/**
 * Commits tasks with webhooks to the store in the file that its argument names, takes what is due and settles it, and
 * prints what was acknowledged, until it is killed.
 */
import { completed, draft, entries, newTask, next } from "./changes.ts";
import { openPushStores, settled, webhook } from "./push-support.ts";

const stores = await openPushStores(process.argv[2] ?? "");

for (let writer = 0; writer < 16; writer++) void writeForEver();
void sendForEver();

async function writeForEver(): Promise<void> {
  for (;;) {
    const task = newTask({ entries: entries(1, 2) });
    const first = { ...task, pushConfigs: [webhook(task)] };
    const chunk = next(first, { entries: entries(3, 5) });
    for (const change of [first, chunk, completed(chunk, 2000)]) {
      await stores.tasks.commit(draft(change));
      console.log(`committed ${change.id} ${change.base + change.entries.length}`);
    }
  }
}

/** The last delivery of each claim is not settled. */
async function sendForEver(): Promise<void> {
  for (;;) {
    const now = Date.now();
    const take = { now, until: now + 60_000, limit: 8, deliveries: 3 };
    const settlements = (await stores.outbox.claim(take)).map((claim) => {
      const { key, outcomes } = settled(claim);
      const tried = outcomes.size > 1 ? [...outcomes].slice(0, -1) : [...outcomes];
      return { key, outcomes: new Map(tried) };
    });
    await stores.outbox.settle(settlements, now);
    for (const { key, outcomes } of settlements)
      for (const generation of outcomes.keys()) console.log(`told ${key.taskId} ${generation}`);
  }
}
