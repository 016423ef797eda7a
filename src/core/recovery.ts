/** Tasks that lost their turn: to a crash, found at the start, or to a store that refused a commit. */
import { isTerminal } from "../protocol/states.ts";
import type { EventHub } from "./event-hub.ts";
import { EventLog, type CommitListener, type TaskKey } from "./event-log.ts";
import { foldStored } from "./log-entry.ts";
import type { LiveTasks } from "./live-tasks.ts";
import type { Agent, Agents } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Log } from "./ports/log.ts";
import type { StoredTask, TaskStore } from "./ports/task-store.ts";
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

/** A turn to take up: run again from its message, or, where the task lives elsewhere, gone on with. */
interface TakenUp {
  readonly kind: "rerun" | "resume";
  readonly agent: Agent;
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
   * Takes up the tasks whose turn was cut: those that live elsewhere are gone on with, also where they wait for an
   * authorization (spec 7.6.1); those whose agent says so run again, all others fail. As many at a time as may run, in the background, since the doors need not wait for them.
   */
  async atStart(): Promise<void> {
    const { store, agents, log } = this.#parts;
    const toTakeUp: TakenUp[] = [];
    const waiting: TakenUp[] = [];
    let failed = 0;
    let after: string | undefined;
    for (;;) {
      const page = await store.running(PAGE, after);
      if (page.length === 0) break;
      const toFail: StoredTask[] = [];
      const elsewhere = page.filter((stored) => agents.find(stored.agent)?.handler.resume);
      const upstreams = await store.upstreamsOf(elsewhere.map(({ id }) => id));
      for (const stored of page) {
        const agent = agents.find(stored.agent);
        const { id, owner } = stored;
        if (stored.status.state === "TASK_STATE_AUTH_REQUIRED") {
          if (agent && upstreams.has(id)) waiting.push({ kind: "resume", agent, id, owner });
        } else if (agent && upstreams.has(id)) toTakeUp.push({ kind: "resume", agent, id, owner });
        else if (agent && isRerun(agent, stored))
          toTakeUp.push({ kind: "rerun", agent, id, owner });
        else toFail.push(stored);
      }
      await Promise.all(toFail.map((stored) => this.#fail(stored, RESTARTED)));
      failed += toFail.length;
      after = page.at(-1)?.id;
    }
    // Last: they take room, and may wait for long.
    toTakeUp.push(...waiting);
    if (failed + toTakeUp.length > 0) {
      const resumed = toTakeUp.filter(({ kind }) => kind === "resume").length;
      const fields = { failed, resumed, rerun: toTakeUp.length - resumed };
      log.info(fields, "unfinished tasks taken up");
    }
    void this.#takeUpAll(toTakeUp).catch((thrown: unknown) => {
      if (!this.#stopped) log.error({ err: thrown }, "unfinished turns not taken up");
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

  async #takeUpAll(all: readonly TakenUp[]): Promise<void> {
    for (const each of all) await this.#takeUp(each);
  }

  async #takeUp({ kind, agent, id, owner }: TakenUp): Promise<void> {
    const { store, live } = this.#parts;
    await live.room();
    const opened = await live.open(agent, id, () => store.load(agent.id, owner, id));
    // Somebody may have canceled it, or gone on with it, meanwhile.
    if (opened.kind === "live" && !opened.execution.turn) opened.execution.takeUp(kind);
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
    if (!stored || (state !== "TASK_STATE_SUBMITTED" && state !== "TASK_STATE_WORKING")) return;
    const remote = this.#parts.agents.find(agent);
    const upstreams = remote?.handler.resume && (await this.#parts.store.upstreamsOf([id]));
    // What a remote agent has said since can be had again.
    if (remote && upstreams?.has(id))
      await this.#takeUp({ kind: "resume", agent: remote, id, owner });
    else await this.#fail(stored, NOT_STORED);
  }

  async #fail(stored: StoredTask, text: string): Promise<void> {
    const { store, hub, clock } = this.#parts;
    let failure: Error | undefined;
    const listener: CommitListener = {
      committed: (events) => {
        for (const event of events) hub.publish(stored.id, event);
      },
      lost: (thrown) => {
        failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      },
    };
    const taskLog = EventLog.resume({ stored, store, listener, upstream: undefined });
    const { live } = taskLog;
    if (!live || isTerminal(live.status.state)) return;
    const status = { state: "TASK_STATE_FAILED", message: { parts: [{ text }] } } as const;
    taskLog.append(statusEventOf(live, status, clock));
    await taskLog.flushed();
    if (failure) throw failure;
  }
}

function isRerun({ onRestart }: Agent, stored: StoredTask): boolean {
  if (onRestart !== "rerun") return false;
  return foldStored(stored).history.some(({ role }) => role === "ROLE_USER");
}
