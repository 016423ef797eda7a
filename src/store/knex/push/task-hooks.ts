/** Where the store of tasks and that of webhooks meet: in the transactions of tasks. */
import type { TaskChange } from "../../../core/ports/task-store.ts";
import type { Connection } from "../connection.ts";

export interface TaskHooks {
  /**
   * Writes the webhooks that came with the changes, and what the changes have to tell to webhooks; to be called in their
   * transaction, after the tasks and their logs. The transaction may be given up and tried again. Throws UNAVAILABLE
   * when the transaction would not wait for the disk.
   */
  write(connection: Connection, changes: readonly TaskChange[], now: number): Promise<void>;
  /** Told of each change once it is committed. */
  committed(change: TaskChange): void;
  /** Told when a group of changes is committed, and all of `committed` was called. */
  groupCommitted(): void;
  /** Told of each task that was removed. */
  removed(taskId: string): void;
  /** Calls the listener with tasks of which something was due that may not be due any more; one listener. */
  onSettled(listener: (taskId: string) => void): void;
}
