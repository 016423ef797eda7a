/** The tasks that something is going on for, by id: at most one execution a task, whoever asks for it. */
import { A2AError } from "../protocol/errors.ts";
import { isTerminal } from "../protocol/states.ts";
import { ChurningMap } from "./churning-map.ts";
import { deferred, type Deferred } from "./deferred.ts";
import type { TaskKey } from "./event-log.ts";
import { Execution, type ExecutionContext } from "./execution.ts";
import type { Place } from "./limits/place.ts";
import type { TaskQuota } from "./limits/task-quota.ts";
import { TurnPlaces } from "./limits/turn-places.ts";
import type { Agent, TurnLimits } from "./ports/agent.ts";
import type { SentMessage, StoredTask } from "./ports/task-store.ts";

const STOPPED = "the gateway stopped before the agent finished";

/** What there is of a task: an execution to ask something of, its end, or nothing. */
export type Opened =
  | { readonly kind: "live"; readonly execution: Execution }
  | { readonly kind: "ended"; readonly stored: StoredTask }
  | { readonly kind: "unknown" };

export interface LiveLimits {
  /** How many tasks may be live at a time, those among them whose turn waits; past it, turns are refused as UNAVAILABLE. */
  readonly tasks: number;
  /** Of each agent that does not say otherwise. */
  readonly turns: TurnLimits;
  /** Undefined: any number of tasks may be kept. */
  readonly quota?: TaskQuota | undefined;
}

export class LiveTasks {
  readonly #executions = new ChurningMap<Execution>();
  readonly #opening = new ChurningMap<Promise<Opened>>();
  /** By the agents that they run with; an agent that was replaced goes with its last task. */
  readonly #sizes = new WeakMap<Agent, number>();
  readonly #context: ExecutionContext;
  readonly #limit: number;
  readonly #places: TurnPlaces;
  readonly #quota: TaskQuota | undefined;
  #stopping: A2AError | undefined;
  #roomier: Deferred<void> | undefined;

  constructor(context: Omit<ExecutionContext, "idle" | "places">, limits: LiveLimits) {
    this.#limit = limits.tasks;
    this.#places = new TurnPlaces(limits.turns);
    this.#quota = limits.quota;
    this.#context = {
      ...context,
      places: this.#places,
      idle: (execution) => this.#remove(execution),
      lost: (execution) => {
        this.#remove(execution);
        context.lost(execution);
      },
    };
  }

  get size(): number {
    return this.#executions.size;
  }

  /** How many of an agent's tasks are live. */
  sizeOf(agent: Agent): number {
    return this.#sizes.get(agent) ?? 0;
  }

  /** Resolves once none of the agent's tasks is live; no new ones come when it is served no longer. */
  async endOf(agent: Agent): Promise<void> {
    while (this.sizeOf(agent) > 0) {
      this.#roomier ??= deferred();
      await this.#roomier.promise;
    }
  }

  /** Ends what is going on for an agent's tasks, which fail with that text. Resolves when that is committed. */
  async endAll(agent: Agent, text: string): Promise<void> {
    const own = this.#inEndingOrder().filter((execution) => execution.agent === agent);
    const error = new A2AError("UNAVAILABLE", text);
    await Promise.all(own.map((execution) => execution.interrupt(text, error)));
  }

  get(id: string): Execution | undefined {
    return this.#executions.get(id);
  }

  /** Throws UNAVAILABLE when no further task may become live. */
  checkRoom(): void {
    if (this.#stopping) throw this.#stopping;
    if (this.#executions.size < this.#limit) return;
    const text = `${this.#limit} tasks are running already`;
    throw new A2AError("UNAVAILABLE", text, { retryAfter: 1 });
  }

  /** The place of a further turn, for `Execution.start`; throws as `TurnPlaces.admit` does. */
  admit(agent: Agent, caller: string): Place | undefined {
    return this.#places.admit(agent, caller);
  }

  /** Resolves when a further task may become live; throws UNAVAILABLE once the gateway stops. */
  async room(): Promise<void> {
    while (!this.#stopping && this.#executions.size >= this.#limit) {
      this.#roomier ??= deferred();
      await this.#roomier.promise;
    }
    this.checkRoom();
  }

  /** The execution of a task that does not exist yet; throws as `checkRoom` does, and as `TaskQuota.reserve`. */
  create(agent: Agent, key: TaskKey, sent: SentMessage | undefined): Execution {
    this.checkRoom();
    const reservation = this.#quota?.reserve(key.owner);
    return this.#add(new Execution(agent, this.#context, { kind: "new", key, sent, reservation }));
  }

  /**
   * The execution of a stored task, made from what `load` finds if there is none. A task that has ended gets none.
   * The caller asks something of it before the next await: an execution that nobody asked anything of would stay.
   */
  open(agent: Agent, id: string, load: () => Promise<StoredTask | undefined>): Promise<Opened> {
    const execution = this.#executions.get(id);
    if (execution) return Promise.resolve({ kind: "live", execution });
    const opening = this.#opening.get(id) ?? this.#load(agent, id, load);
    this.#opening.set(id, opening);
    return opening;
  }

  /**
   * Takes no further task; lets turns finish for that long, then ends them: their tasks fail, or wait for the next
   * start to run again.
   */
  async drain(graceMs: number): Promise<void> {
    this.#stopping = new A2AError("UNAVAILABLE", "the gateway is stopping", { retryAfter: 1 });
    const timer = deferred<void>();
    const timeout = setTimeout(() => timer.resolve(), graceMs);
    while (this.#executions.size > 0) {
      this.#roomier ??= deferred();
      const over = await Promise.race([timer.promise.then(() => true), this.#roomier.promise]);
      if (over) break;
    }
    clearTimeout(timeout);
    const error = new A2AError("UNAVAILABLE", "the gateway is stopping: try again");
    await Promise.all(
      this.#inEndingOrder().map((execution) =>
        execution.interrupt(execution.isTakenUp ? undefined : STOPPED, error),
      ),
    );
  }

  async #load(
    agent: Agent,
    id: string,
    load: () => Promise<StoredTask | undefined>,
  ): Promise<Opened> {
    try {
      const stored = await load();
      if (!stored) return { kind: "unknown" };
      if (isTerminal(stored.status.state)) return { kind: "ended", stored };
      const upstreams = agent.handler.resume && (await this.#context.store.upstreamsOf([id]));
      if (this.#stopping) throw this.#stopping;
      const origin = { kind: "stored", stored, upstream: upstreams?.get(id) } as const;
      const execution = new Execution(agent, this.#context, origin);
      return { kind: "live", execution: this.#add(execution) };
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Those first whose turn waits: it would get the place of one that is ended before it. */
  #inEndingOrder(): readonly Execution[] {
    const all = this.#executions.values();
    return [...all.filter(({ turn }) => turn?.waits), ...all.filter(({ turn }) => !turn?.waits)];
  }

  #add(execution: Execution): Execution {
    this.#executions.set(execution.key.id, execution);
    this.#sizes.set(execution.agent, this.sizeOf(execution.agent) + 1);
    return execution;
  }

  #remove(execution: Execution): void {
    const { id } = execution.key;
    execution.reservation?.end();
    if (this.#executions.get(id) !== execution) return;
    this.#executions.delete(id);
    this.#sizes.set(execution.agent, this.sizeOf(execution.agent) - 1);
    this.#roomier?.resolve();
    this.#roomier = undefined;
  }
}
