/** Tasks that lost their turn: to a crash, found at the start, or to a store that refused a commit. */
import type { Message } from "../protocol/model.ts";
import { isTerminal } from "../protocol/states.ts";
import type { EventHub } from "./event-hub.ts";
import { foldStored } from "./log-entry.ts";
import type { LiveTasks } from "./live-tasks.ts";
import type { Agent, Agents, Clock, Log, StoredTask, TaskStore } from "./ports.ts";
import { statusEventOf } from "./task-events.ts";
import { TaskLog, type TaskKey } from "./task-log.ts";

const PAGE = 100;
/** A store that refused a commit gets these chances, in milliseconds from one to the next, to take a last word. */
const RETRY_AFTER_MS = [250, 1_000, 5_000, 30_000];
const RESTARTED = "the gateway was restarted before the agent finished";
const NOT_STORED = "the gateway could not store what the agent answered";

export interface RecoveryParts {
  readonly store: TaskStore;
  readonly agents: Agents;
  readonly hub: EventHub;
  readonly live: LiveTasks;
  readonly clock: Clock;
  readonly log: Log;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  readonly #retries = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Runs the cut turns again where the agent says so, and fails the tasks of the others. */
  async atStart(): Promise<void> {
    const { store, agents, log } = this.#parts;
    let count = 0;
    let after: string | undefined;
    for (;;) {
      const page = await store.running(PAGE, after);
      if (page.length === 0) break;
      await Promise.all(page.map((stored) => this.#takeUp(stored, agents.find(stored.agent))));
      count += page.length;
      after = page.at(-1)?.id;
    }
    if (count > 0) log.info({ tasks: count }, "unfinished tasks taken up");
  }

  /** After a failed commit: writes down that the task failed, as soon as the store takes it. */
  afterLoss({ id, agent, owner }: TaskKey): void {
    this.#retry({ id, agent, owner }, 0);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#retries) clearTimeout(timer);
    this.#retries.clear();
  }

  async #takeUp(stored: StoredTask, agent: Agent | undefined): Promise<void> {
    const message = agent?.onRestart === "rerun" ? lastUserMessage(stored) : undefined;
    if (!agent || !message) return this.#fail(stored, RESTARTED);
    const execution = await this.#parts.live.open(agent, stored.id, () => Promise.resolve(stored));
    execution?.resume({
      message,
      contextGiven: true,
      referencedTasks: [],
      acceptedOutputModes: [],
      metadata: undefined,
      extensions: [],
      principal: { id: stored.owner },
      headers: {},
    });
  }

  #retry(key: Omit<TaskKey, "contextId">, attempt: number): void {
    const delay = RETRY_AFTER_MS[attempt];
    if (this.#stopped || delay === undefined) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#failLost(key).catch((thrown: unknown) => {
        this.#parts.log.warn({ err: thrown, task: key.id, attempt }, "lost task not failed yet");
        this.#retry(key, attempt + 1);
      });
    }, delay);
    this.#retries.add(timer);
  }

  async #failLost({ id, agent, owner }: Omit<TaskKey, "contextId">): Promise<void> {
    if (this.#parts.live.get(id)) return;
    const stored = await this.#parts.store.load(agent, owner, id);
    const { state } = stored?.status ?? {};
    if (stored && (state === "TASK_STATE_SUBMITTED" || state === "TASK_STATE_WORKING")) {
      await this.#fail(stored, NOT_STORED);
    }
  }

  async #fail(stored: StoredTask, text: string): Promise<void> {
    const { store, hub, clock } = this.#parts;
    let failure: Error | undefined;
    const taskLog = TaskLog.resume(stored, store, {
      committed: (events) => {
        for (const event of events) hub.publish(stored.id, event);
      },
      lost: (thrown) => {
        failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      },
    });
    const { live } = taskLog;
    if (!live || isTerminal(live.status.state)) return;
    const status = { state: "TASK_STATE_FAILED", message: { parts: [{ text }] } } as const;
    taskLog.append(statusEventOf(live, status, clock));
    await taskLog.flushed();
    if (failure) throw failure;
  }
}

function lastUserMessage(stored: StoredTask): Message | undefined {
  return foldStored(stored).history.findLast(({ role }) => role === "ROLE_USER");
}
