/** Where tasks are kept. Whoever implements the port keeps what it promises, or throws. */
import type { JsonObject } from "../../protocol/json.ts";
import type { Artifact, Message, Task } from "../../protocol/model.ts";
import type { ReadyMade } from "../../protocol/ready-made.ts";
import type { TaskState } from "../../protocol/states.ts";
import type { Upstream } from "./handler.ts";
import type { News, PushConfig } from "./push-store.ts";

/** One entry of a task's log: JSON text that core writes and reads, and the store keeps as it is. */
export interface LogEntry {
  readonly generation: number;
  readonly text: string;
}

/** An entry that is to be written: who wants to hear of it hears of it. */
export interface NewEntry extends LogEntry {
  readonly news: News;
}

/** A task's state and the instant of its status (milliseconds since the epoch): what lists are sorted and counted by. */
export interface StatusKey {
  readonly state: TaskState;
  readonly timestamp: number;
}

/** The parts of a task that are rewritten now and then, not at every event. */
export interface Snapshot {
  readonly history: readonly Message[];
  readonly artifacts: readonly Artifact[];
  readonly metadata: JsonObject | undefined;
}

/** What one commit changes of one task. */
export interface TaskChange {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string;
  /** The generation that the store holds, 0 for a new task; the change is refused when it holds another one. */
  readonly base: number;
  /** The entries base+1, base+2, …, at least one. */
  readonly entries: readonly NewEntry[];
  readonly status: StatusKey;
  readonly statusMessage: Message | undefined;
  /** The status that the store holds; undefined for a new task. */
  readonly previous: StatusKey | undefined;
  /** There on a new task and on a terminal state, else when it is time to rewrite it. */
  readonly snapshot: Snapshot | undefined;
  /** There when it is new or has changed. */
  readonly upstream: Upstream | undefined;
  /** The message that opened this task, when the agent answers repeated messages with the same task. */
  readonly sent: SentMessage | undefined;
  /** Webhooks that came with this change: kept before its entries are told to anybody. */
  readonly pushConfigs: readonly PushConfig[];
}

/**
 * Something that wants to be written. `take` is called once, when the write is put together, so that everything that
 * happened to the task while it waited for its turn goes in the same commit.
 */
export interface Draft {
  take(): TaskChange;
}

/** A task as the store holds it. */
export interface StoredTask extends StoredText {
  readonly whole: true;
}

/** A task of which a list left out the artifacts, for their size: their fragment is empty. */
export interface TaskWithoutArtifacts extends StoredText {
  readonly whole: false;
}

export type ListedTask = StoredTask | TaskWithoutArtifacts;

interface StoredText {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string;
  readonly status: StatusKey;
  /** The newest generation. */
  readonly generation: number;
  /**
   * The task's text in the fragments FRAGMENT.head (id, contextId, status), .metadata, .history, .artifacts.
   * Head is as of `generation`; the rest is as of the last snapshot, and `tail` holds the entries since.
   */
  readonly task: ReadyMade<Task>;
  /** Log entries after the last snapshot, oldest first; empty when the text is whole (always so in terminal states). */
  readonly tail: readonly LogEntry[];
}

/** Positions of the fragments in a StoredTask's text. A fragment with empty members stands for an absent member. */
export const FRAGMENT = { head: 0, metadata: 1, history: 2, artifacts: 3 } as const;

/** The key of an idempotent send and what identifies the content that came with it. */
export interface SentMessage {
  readonly messageId: string;
  readonly fingerprint: string;
}

/** A place in the order of lists: status timestamp descending, then id descending. */
export interface ListPosition {
  readonly timestamp: number;
  readonly id: string;
}

export interface ListQuery {
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
  /** Only tasks whose status is from this instant (milliseconds) or later. */
  readonly from: number | undefined;
  /** Only tasks after this position; the task at the position may be gone. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
  /** Whether the artifacts are wanted: if not, tasks come without theirs or whole, whatever costs less. */
  readonly artifacts: boolean;
  /** The page ends early, though not before its first task, where more of what is wanted than this would be read. */
  readonly maxBytes: number;
}

export interface TaskPage {
  /** At most `limit`, in the order of lists; at least one where there are more. */
  readonly tasks: readonly ListedTask[];
  /** Where in the order each of them was found: its status may have moved on since. */
  readonly positions: readonly ListPosition[];
  /** Whether there are more after the last one. */
  readonly more: boolean;
  /** How many tasks match the query from its start, whatever `after` and `limit`. */
  readonly total: number;
}

export interface PurgeLimits {
  /** Log entries of terminal tasks go when the status is older than this instant (milliseconds). */
  readonly entriesBefore: number | undefined;
  /** Terminal tasks go when the status is older. */
  readonly finishedBefore: number | undefined;
  /** Tasks that wait for their caller (INPUT_REQUIRED, AUTH_REQUIRED) go when the status is older. */
  readonly unfinishedBefore: number | undefined;
}

/** What a purge removed. */
export interface Purged {
  readonly tasks: number;
  /** Logs of tasks that stay. */
  readonly logs: number;
}

export interface TaskStore {
  /**
   * Writes a change durably and resolves once it is committed; a change that holds a snapshot resolves with the task
   * as written. Drafts that wait at the same time share a transaction; of one task only one draft may wait.
   * Throws a ConflictError when the store holds another generation than `base` or already a terminal state: nothing
   * of this change is written then, and the changes of other tasks are not touched. Throws TOO_LARGE for a task that
   * has grown too large to be read again, and UNAVAILABLE when the database is locked or full. Any throw means that
   * nothing was written.
   */
  commit(draft: Draft): Promise<StoredTask | undefined>;
  /**
   * The task of that id if it belongs to that agent and owner. Sees every commit that resolved before the call. Throws
   * TOO_LARGE for a task that is too large to be read.
   */
  load(agent: string, owner: string, id: string): Promise<StoredTask | undefined>;
  /**
   * The log entries after a generation, oldest first, complete up to the newest commit that resolved before the call;
   * undefined when the log no longer reaches back that far.
   */
  entriesAfter(id: string, generation: number): Promise<readonly LogEntry[] | undefined>;
  /**
   * One page of an owner's tasks with an agent, each as it is now and fitting the query as it is now. Paging on from the
   * position of the last one shows every task once that does not move meanwhile.
   */
  list(query: ListQuery): Promise<TaskPage>;
  /**
   * Tasks in SUBMITTED or WORKING, and those in AUTH_REQUIRED that live at a remote agent, oldest first, in pages of at most `limit`, fewer when they are large; an empty page is
   * the last. `after` is the last id of the page before.
   */
  running(limit: number, after: string | undefined): Promise<readonly StoredTask[]>;
  /** The task opened by that message not earlier than `since` (milliseconds), with the fingerprint kept at the time. */
  findSent(
    agent: string,
    owner: string,
    messageId: string,
    since: number,
  ): Promise<{ readonly taskId: string; readonly fingerprint: string } | undefined>;
  /** Where tasks live at a remote agent, for those of the ids that do. */
  upstreamsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Upstream>>;
  /** Removes what is older than the limits, at most `batch` tasks and logs, a task with its rows in side tables. */
  purge(limits: PurgeLimits, batch: number): Promise<Purged>;
  /** Resolves when the database answers and takes what is written; throws when it does not. */
  ping(): Promise<void>;
  /** Waits for commits under way, then lets go of the database. */
  close(): Promise<void>;
}

const conflict = Symbol.for("a2a-gateway.conflict");

/** Somebody else wrote the task: the store holds another generation than the change was based on. */
export class ConflictError extends Error {
  readonly [conflict] = true;

  static is(thrown: unknown): thrown is ConflictError {
    return typeof thrown === "object" && thrown !== null && conflict in thrown;
  }
}
