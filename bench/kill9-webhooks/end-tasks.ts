/** Brings every task to its end, so that its log has one. */
import { setTimeout as sleep } from "node:timers/promises";
import { Caller } from "./caller.ts";
import { AGENTS, type Agent } from "./hooks.ts";

const POLL_MS = 100;
const UNFINISHED = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"];

interface Page {
  readonly tasks: readonly { readonly id: string }[];
  readonly totalSize: number;
}

/** Cancels what waits for an answer and waits for what runs. */
export async function endTasks(gateway: string): Promise<void> {
  const caller = new Caller(gateway);
  const list = (agent: Agent, status: string) =>
    caller.call<Page>(agent, "1.0", "ListTasks", { status, pageSize: 100 });
  for (const agent of AGENTS) {
    for (const status of UNFINISHED)
      while ((await list(agent, status)).totalSize > 0) await sleep(POLL_MS);
    for (;;) {
      const { tasks } = await list(agent, "TASK_STATE_INPUT_REQUIRED");
      if (tasks.length === 0) break;
      for (const { id } of tasks) await caller.call(agent, "1.0", "CancelTask", { id });
    }
  }
  caller.close();
}
