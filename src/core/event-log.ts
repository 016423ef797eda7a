/**
 * One live task between its events and the store: what has happened but is not committed yet, and how it gets there.
 * Events are applied at once and committed together with whatever else came up meanwhile; nobody is told before.
 */
import { fragmentsOf } from "../protocol/ready-made.ts";
import { isInterrupted, isTerminal, type TaskState } from "../protocol/states.ts";
import { applyEvent, liveTaskOf, type LiveTask, type TaskEvent } from "./apply-event.ts";
import type { Published } from "./event-hub.ts";
import type { NewPushConfig } from "./push-configs.ts";
import { entryOf, foldStored } from "./log-entry.ts";
import type { Upstream } from "./ports/handler.ts";
import type { PushConfig } from "./ports/push-store.ts";
import type {
  SentMessage,
  Snapshot,
  StatusKey,
  StoredTask,
  TaskChange,
  TaskStore,
} from "./ports/task-store.ts";

/** A log that grew by this much since the last snapshot, and by so many times the snapshot itself, gets a new one. */
const SNAPSHOT_CHARACTERS = 65_536;
const SNAPSHOT_GROWTH = 3;
/** How far events may run ahead of the disk before their source has to wait. */
const BACKLOG_EVENTS = 256;
const BACKLOG_CHARACTERS = 1_048_576;

const NO_CONFIGS: readonly PushConfig[] = [];

export interface TaskKey {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string;
}

/** Told, in order, what was committed; `stored` is the task as written when the commit held a snapshot. */
export interface CommitListener {
  committed(events: readonly Published[], stored: StoredTask | undefined): void;
  /** The store refused a commit; nothing of it was written, and the log is of no further use. */
  lost(error: unknown): void;
}

export interface EventLogParts {
  readonly key: TaskKey;
  readonly store: TaskStore;
  readonly listener: CommitListener;
  /** Kept with the task's first commit. */
  readonly sent: SentMessage | undefined;
}

/** Of a task that the store holds. */
export interface ResumedLogParts extends Pick<EventLogParts, "store" | "listener"> {
  readonly stored: StoredTask;
  readonly upstream: Upstream | undefined;
}

export class EventLog {
  #key: TaskKey;
  readonly #store: TaskStore;
  readonly #listener: CommitListener;
  #live: LiveTask | undefined;
  #sent: SentMessage | undefined;
  #upstream: Upstream | undefined;
  #upstreamPending = false;
  #pushConfigs: readonly PushConfig[] = NO_CONFIGS;
  #generation = 0;
  #committedGeneration = 0;
  #committedStatus: StatusKey | undefined;
  #pending: Published[] = [];
  #pendingCharacters = 0;
  #tailCharacters = 0;
  #snapshotCharacters = 0;
  #wholeTaskPending = false;
  #committing = false;
  #waiting: (() => void)[] = [];
  #isLost = false;

  constructor({ key, store, listener, sent }: EventLogParts) {
    this.#key = key;
    this.#store = store;
    this.#listener = listener;
    this.#sent = sent;
  }

  /** The log of a task that the store holds. */
  static resume({ stored, store, listener, upstream }: ResumedLogParts): EventLog {
    const { id, agent, owner, contextId } = stored;
    const key = { id, agent, owner, contextId };
    const log = new EventLog({ key, store, listener, sent: undefined });
    log.#live = foldStored(stored);
    log.#upstream = upstream;
    log.#generation = log.#committedGeneration = stored.generation;
    log.#committedStatus = stored.status;
    for (const entry of stored.tail) log.#tailCharacters += entry.text.length;
    return log;
  }

  get key(): TaskKey {
    return this.#key;
  }

  /** Where the task lives at a remote agent. */
  get upstream(): Upstream | undefined {
    return this.#upstream;
  }

  /** Kept with the next event. */
  set upstream(upstream: Upstream | undefined) {
    this.#upstream = upstream;
    this.#upstreamPending = true;
  }

  /** Keeps a webhook with the next event, which is the first one that it hears of. */
  addPushConfig(config: NewPushConfig, createdAt: number): void {
    const since = this.#generation;
    this.#pushConfigs = [...this.#pushConfigs, { ...config, since, createdAt }];
  }

  /** Puts the task into another context, as long as it does not exist. */
  adoptContext(contextId: string): void {
    if (this.#live === undefined) this.#key = { ...this.#key, contextId };
  }

  /** The task with every event so far, committed or not; undefined before the first one. */
  get live(): LiveTask | undefined {
    return this.#live;
  }

  get state(): TaskState | undefined {
    return this.#live?.status.state;
  }

  /** The generation of the last event, committed or not. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether everything that was appended is committed. */
  get isFlushed(): boolean {
    return this.#pending.length === 0 && !this.#committing;
  }

  /** Adds an event; false when it came after a terminal state (or after the log was lost) and does not count. */
  append(event: TaskEvent): boolean {
    if (this.#isLost || (this.#live && isTerminal(this.#live.status.state))) return false;
    // Written down first: an event that cannot be written changes nothing.
    const { generation, text, news, response } = entryOf(this.#generation + 1, event);
    if (this.#live) applyEvent(this.#live, event);
    else if ("task" in event) this.#live = liveTaskOf(event.task);
    else throw new Error("the first event of a task is the task");
    if ("task" in event) this.#wholeTaskPending = true;
    this.#generation = generation;
    this.#pending.push({ generation, text, news, response, state: this.#live.status.state });
    this.#pendingCharacters += text.length;
    if (!this.#committing) {
      this.#committing = true;
      void this.#commitAll();
    }
    return true;
  }

  /** Resolves when the source of events may go on: at once, or when a long backlog has been committed. */
  room(): Promise<void> | undefined {
    const full =
      this.#pending.length >= BACKLOG_EVENTS || this.#pendingCharacters >= BACKLOG_CHARACTERS;
    return full ? this.flushed() : undefined;
  }

  /** Resolves when everything appended so far is committed or lost. */
  flushed(): Promise<void> {
    if (this.isFlushed || this.#isLost) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Gives the log up: nothing is appended any more. What is committed stays. */
  lose(thrown: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#pending = [];
    this.#listener.lost(thrown);
  }

  async #commitAll(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        let batch: Published[] = [];
        const take = (): TaskChange => {
          batch = this.#pending;
          return this.#takeChange();
        };
        const stored = await this.#store.commit({ take });
        if (stored) this.#snapshotCharacters = charactersOf(stored);
        this.#listener.committed(batch, stored);
      }
    } catch (thrown) {
      this.lose(thrown);
    } finally {
      this.#committing = false;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    }
  }

  #takeChange(): TaskChange {
    const live = this.#live;
    if (!live) throw new Error("nothing to commit");
    const base = this.#committedGeneration;
    const previous = this.#committedStatus;
    const status = statusKeyOf(live);
    this.#tailCharacters += this.#pendingCharacters;
    const snapshot = this.#needsSnapshot(status.state) ? snapshotOf(live) : undefined;
    const { id, agent, owner, contextId } = this.#key;
    // Written out: this is made for every commit, and a spread costs more than all the rest.
    const change: TaskChange = {
      id,
      agent,
      owner,
      contextId,
      base,
      entries: this.#pending,
      status,
      statusMessage: live.status.message,
      previous,
      snapshot,
      upstream: this.#upstreamPending ? this.#upstream : undefined,
      sent: base === 0 ? this.#sent : undefined,
      pushConfigs: this.#pushConfigs,
    };
    this.#upstreamPending = false;
    this.#pushConfigs = NO_CONFIGS;
    if (snapshot) this.#tailCharacters = 0;
    this.#pending = [];
    this.#pendingCharacters = 0;
    this.#wholeTaskPending = false;
    this.#committedGeneration = this.#generation;
    this.#committedStatus = status;
    return change;
  }

  #needsSnapshot(state: TaskState): boolean {
    return (
      this.#committedGeneration === 0 ||
      this.#wholeTaskPending ||
      isTerminal(state) ||
      isInterrupted(state) ||
      this.#tailCharacters >=
        Math.max(SNAPSHOT_CHARACTERS, SNAPSHOT_GROWTH * this.#snapshotCharacters)
    );
  }
}

function statusKeyOf({ status }: LiveTask): StatusKey {
  return { state: status.state, timestamp: Date.parse(status.timestamp ?? "") };
}

function snapshotOf({ history, artifacts, metadata }: LiveTask): Snapshot {
  return { history, artifacts, metadata };
}

function charactersOf(stored: StoredTask): number {
  let characters = 0;
  for (const fragment of fragmentsOf(stored.task)) characters += fragment.members.length;
  return characters;
}
