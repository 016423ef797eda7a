/** Tasks as those who run the gateway look for them: of every agent and owner. */
import type { TaskState } from "../../protocol/states.ts";
import type { Upstream } from "./handler.ts";
import type { ListPosition, LogEntry, StoredTask } from "./task-store.ts";

export interface TaskSearch {
  readonly agent: string | undefined;
  /** "" is the owner where authentication is off. */
  readonly owner: string | undefined;
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
  /** Only tasks whose status is from this instant or later, and before that one, in milliseconds. */
  readonly from: number | undefined;
  readonly before: number | undefined;
  /** The id of the task here or at its remote agent. */
  readonly id: string | undefined;
  /** Only tasks after this position in the order: status timestamp descending, then id descending. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/** What a search shows of a task: nothing that its caller or its agent said. */
export interface FoundTask {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** Of the status, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly createdAt: number;
  readonly generation: number;
  readonly upstream: Upstream | undefined;
}

/** A task with everything in it, as the store holds it: the entries of its tail are still to be applied. */
export interface ArchivedTask {
  readonly stored: StoredTask;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly upstream: Upstream | undefined;
}

export interface TaskArchive {
  /** At most `limit` tasks, in order. */
  search(query: TaskSearch): Promise<readonly FoundTask[]>;
  /** The task of that id, whoever's it is; undefined when there is none. Throws TOO_LARGE as the task store does. */
  find(id: string): Promise<ArchivedTask | undefined>;
  /** Whose the task of that id is; undefined when there is none. Reads nothing else of it. */
  whose(id: string): Promise<Pick<FoundTask, "agent" | "owner"> | undefined>;
  /**
   * At most `limit` entries of the task's log after a generation, oldest first; fewer when they are larger than `bytes`,
   * or than can be read together, though at least one where there are more: only an empty answer is the end. Undefined
   * when the log no longer reaches back that far, or there is no such task.
   */
  entries(
    id: string,
    after: number,
    limit: number,
    bytes?: number,
  ): Promise<readonly LogEntry[] | undefined>;
}
