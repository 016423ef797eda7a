/** What the Admin API works with, and who may use it: given to it by whoever wires the gateway. */
import type { AgentControl } from "../../core/ports/agent-control.ts";
import type { DeliveryControl, SentCounts } from "../../core/ports/push-store.ts";
import type { TaskArchive } from "../../core/ports/task-search.ts";
import type { StoredTask } from "../../core/ports/task-store.ts";
import type { Task, TaskOutput } from "../../protocol/model.ts";

export interface AdminPorts {
  readonly access: AdminAccess;
  readonly agents: AgentControl;
  readonly tasks: TaskArchive;
  /** The task that a store holds, with the entries of its tail applied. */
  readonly taskOf: (stored: StoredTask) => Task;
  /**
   * Cancels a task as its owner would (spec 3.1.5) and resolves with it as it then is. Throws TASK_NOT_FOUND,
   * TASK_NOT_CANCELABLE for one that has ended otherwise, and UNAVAILABLE where its agent is not served.
   */
  readonly cancelTask: (agent: string, owner: string, id: string) => Promise<TaskOutput>;
  readonly deliveries: DeliveryControl & {
    /** What was sent since the start. */
    sent(): SentCounts;
  };
}

export interface AdminAccess {
  /** Asked of every request; undefined: nobody is asked, which only a loopback address allows. */
  readonly token: string | undefined;
  /** Whether the operations port listens on an address that only this machine reaches. */
  readonly isLoopback: boolean;
}
