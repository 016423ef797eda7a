/**
 * What core needs from outside: a store for tasks, the agents with their handlers, a log. Each port states what it
 * promises; whoever implements one keeps the promise or throws.
 */
import type { AgentCard } from "../protocol/agent-card.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Artifact, Message, Part, Task } from "../protocol/model.ts";
import type { ReadyMade } from "../protocol/ready-made.ts";
import type { Principal } from "../protocol/service.ts";
import type { TaskState } from "../protocol/states.ts";

// ---- Handlers -------------------------------------------------------------------------------------------------

/** A message as a handler writes it: core adds the ids and the role. */
export interface HandlerMessage {
  readonly messageId?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** An artifact as a handler writes it. Without an id it gets one; `append` needs the id of an earlier event. */
export interface HandlerArtifact {
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Where a task lives at a remote agent: the ids that it has there. */
export interface Upstream {
  readonly taskId: string;
  readonly contextId: string | undefined;
}

export type HandlerEvent =
  | { readonly kind: "message"; readonly message: HandlerMessage }
  | {
      /**
       * The remote ids, kept with the task's next event and given to later turns. Before the first event of a task,
       * a context that the caller did not name becomes the remote one.
       */
      readonly kind: "upstream";
      readonly taskId: string | undefined;
      readonly contextId: string | undefined;
    }
  | {
      readonly kind: "status";
      readonly state: TaskState;
      readonly message?: HandlerMessage;
      /** Messages that come into the history with it; those that are there are known by their ids. */
      readonly history?: readonly Message[];
      readonly metadata?: JsonObject;
    }
  | {
      readonly kind: "artifact";
      readonly artifact: HandlerArtifact;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
      readonly metadata?: JsonObject;
    }
  | {
      /** The whole task as the agent sees it; merged into the stored one by message and artifact ids. */
      readonly kind: "task";
      readonly state: TaskState;
      readonly message?: HandlerMessage;
      readonly history?: readonly Message[];
      readonly artifacts?: readonly Artifact[];
      readonly metadata?: JsonObject;
    };

/** One turn of an agent: a message to answer, and what the agent may know about it. */
export interface Turn {
  readonly agent: string;
  /** The id that the task has, or will have once the first task event arrives. */
  readonly taskId: string;
  readonly contextId: string;
  /** True when the caller sent the contextId or the task already had it; false when it was made for this turn. */
  readonly contextGiven: boolean;
  readonly message: Message;
  /** The task before this turn; undefined on the first one. */
  readonly task: Task | undefined;
  readonly referencedTasks: readonly Task[];
  /** Where the task lives, once a turn has said so; only for handlers that resume turns. */
  readonly upstream: Upstream | undefined;
  /** Where the tasks live that the message refers to, by their ids here; only for handlers that resume turns. */
  readonly referencedUpstreams: ReadonlyMap<string, Upstream>;
  readonly acceptedOutputModes: readonly string[];
  /** Whether the caller waits for the end of the turn. */
  readonly blocking: boolean;
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[];
  readonly principal: Principal;
  /** Request headers that the agent's configuration allows to pass. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Aborted when the task is canceled, the gateway stops, or another turn has taken over: end soon. A canceled turn is
   * told so by `cancel` right after, and what it still yields counts.
   */
  readonly signal: AbortSignal;
}

/**
 * What answers an agent's messages. `handle` yields events; a message as the only event answers without a task. It
 * ends the task when it ends (COMPLETED, unless it left it interrupted), fails it when it throws, and answers the
 * caller with an error, without a task, when it throws an A2AError before its first event.
 */
export interface Handler {
  handle(turn: Turn): AsyncIterable<HandlerEvent>;
  /**
   * Goes on with a task that lives elsewhere, at `turn.upstream`: after a restart of the gateway, which has cut the
   * turn, or to see it canceled while no turn runs. Yields what has happened since, as `handle` does. A handler that has
   * this works on tasks of which others hold the truth: once it has said where the task lives, a further message does
   * not wait for the turn before it, but takes its place with its first event (the `signal` of the one before is aborted,
   * and nothing that it yields counts any more).
   */
  resume?(turn: Turn): AsyncIterable<HandlerEvent>;
  /**
   * Told once when the turn's task is canceled, after `turn.signal` was aborted, with the metadata of the request;
   * a throw is logged.
   */
  cancel?(turn: Turn, metadata: JsonObject | undefined): Promise<void>;
  /** What the agent behind it says of itself, where it does, as it is now known. */
  card?(): AgentCard | undefined;
  /** Ends what outlives a turn (pools, processes). Called once, at the stop of the gateway or of the agent. */
  close?(): Promise<void>;
}

// ---- Agents ---------------------------------------------------------------------------------------------------

export interface Agent {
  /** The slug under which the agent is served. */
  readonly id: string;
  readonly handler: Handler;
  /** The card as it is now; `supportedInterfaces` is filled in where it is served. */
  readonly card: AgentCard;
  /** Shown to callers of GetExtendedAgentCard; undefined: not configured. */
  readonly extendedCard: (() => AgentCard) | undefined;
  /** What a task whose turn was cut by a crash does at the next start. */
  readonly onRestart: "fail" | "rerun";
  /** For how long a repeated messageId answers with the same task, in milliseconds; 0: never. */
  readonly idempotencyWindowMs: number;
  /** Names, in lower case, of the request headers that its handler sees. */
  readonly forwardHeaders: readonly string[];
  /** How long a turn may take, in milliseconds; 0: without limit. */
  readonly turnTimeoutMs: number;
  /** How long a canceled turn may take to end, in milliseconds. */
  readonly cancelGraceMs: number;
}

export interface Agents {
  /** The agent of that id, or the primary agent for undefined; undefined when there is none. */
  find(id: string | undefined): Agent | undefined;
  /** Every agent. */
  all(): readonly Agent[];
}

// ---- The task store -------------------------------------------------------------------------------------------

/** One entry of a task's log: JSON text that core writes and reads, and the store keeps as it is. */
export interface LogEntry {
  readonly generation: number;
  readonly text: string;
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
  readonly entries: readonly LogEntry[];
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
   * Tasks in SUBMITTED or WORKING, oldest first, in pages of at most `limit`, fewer when they are large; an empty page is
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

// ---- The rest -------------------------------------------------------------------------------------------------

/** Structured logging: an event name in words, with fields. Never given message content or secrets. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Time and ids come in as values, so that tests decide them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new id: UUID version 7, so that ids sort by time. */
  newId(): string;
}
