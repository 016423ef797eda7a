import type { TaskChange } from "../../src/core/ports/task-store.ts";
import type { OpenedOutbox } from "../contracts/outbox.ts";
import { commitAll, newTask, next } from "./changes.ts";
import { openPushStores, webhook } from "./push-support.ts";

/** An outbox in that file, and what fills it. */
export async function openOutbox(file: string, now: () => number): Promise<OpenedOutbox> {
  const { tasks, outbox, close } = await openPushStores(file, { now });
  const newest = new Map<string, TaskChange>();
  return {
    outbox,
    async tell(id, count = 1) {
      for (let time = 0; time < count; time++) {
        const before = newest.get(id);
        const task = before ? next(before) : newTask({ id });
        newest.set(id, task);
        await commitAll(tasks, before ? task : { ...task, pushConfigs: [webhook(task)] });
      }
    },
    close,
  };
}
