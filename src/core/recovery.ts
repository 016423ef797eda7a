/** Tasks that lost their turn: to a crash, found at the start, or to a store that refused a commit. */
import type { Message } from "../protocol/model.ts";
import { isTerminal } from "../protocol/states.ts";
import type { EventHub } from "./event-hub.ts";
import { EventLog, type TaskKey } from "./event-log.ts";
import { foldStored } from "./log-entry.ts";
import type { LiveTasks } from "./live-tasks.ts";
import type { Agent, Agents, Clock, Log, StoredTask, TaskStore } from "./ports.ts";
import { statusEventOf } from "./task-events.ts";

const PAGE = 100;
/** A store that refused a commit is asked again after these times, in milliseconds, to take a last word. */
const RETRY_AFTER_MS = [250, 1_000, 5_000];
/** And from then on every so often, until it does: a full disk is not emptied in a minute. */
const LAST_RETRY_AFTER_MS = 15_000;
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

/** A turn to run again: only what the store has kept of it. */
interface Rerun {
  readonly agent: Agent;
  readonly message: Message;
  readonly id: string;
  readonly owner: string;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  readonly #retries = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /**
   * Fails the tasks whose turn was cut, and runs those turns again whose agent says so: as many at a time as may run,
   * in the background, since the doors need not wait for them.
   */
  async atStart(): Promise<void> {
    const { store, agents, log } = this.#parts;
    const toRerun: Rerun[] = [];
    let failed = 0;
    let after: string | undefined;
    for (;;) {
      const page = await store.running(PAGE, after);
      if (page.length === 0) break;
      const toFail: StoredTask[] = [];
      for (const stored of page) {
        const agent = agents.find(stored.agent);
        const message = agent?.onRestart === "rerun" ? lastUserMessage(stored) : undefined;
        if (agent && message) toRerun.push({ agent, message, id: stored.id, owner: stored.owner });
        else toFail.push(stored);
      }
      await Promise.all(toFail.map((stored) => this.#fail(stored, RESTARTED)));
      failed += toFail.length;
      after = page.at(-1)?.id;
    }
    if (failed + toRerun.length > 0) {
      log.info({ failed, rerun: toRerun.length }, "unfinished tasks taken up");
    }
    void this.#rerunAll(toRerun).catch((thrown: unknown) => {
      if (!this.#stopped) log.error({ err: thrown }, "unfinished turns not run again");
    });
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

  async #rerunAll(reruns: readonly Rerun[]): Promise<void> {
    const { store, live } = this.#parts;
    for (const { agent, message, id, owner } of reruns) {
      await live.room();
      const opened = await live.open(agent, id, () => store.load(agent.id, owner, id));
      // Somebody may have canceled it, or gone on with it, meanwhile.
      if (opened.kind !== "live" || opened.execution.turn) continue;
      opened.execution.resume({
        message,
        contextGiven: true,
        referencedTasks: [],
        acceptedOutputModes: [],
        metadata: undefined,
        extensions: [],
        principal: { id: owner },
        headers: {},
      });
    }
  }

  #retry(key: Omit<TaskKey, "contextId">, attempt: number): void {
    if (this.#stopped) return;
    const delay = RETRY_AFTER_MS[attempt] ?? LAST_RETRY_AFTER_MS;
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
    const taskLog = EventLog.resume(stored, store, {
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
