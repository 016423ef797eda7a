/** The tasks that something is going on for, by id: at most one execution a task, whoever asks for it. */
import { A2AError } from "../protocol/errors.ts";
import { ChurningMap } from "./churning-map.ts";
import { deferred, type Deferred } from "./deferred.ts";
import { Execution, type ExecutionContext } from "./execution.ts";
import type { Agent, SentMessage, StoredTask } from "./ports.ts";
import type { TaskKey } from "./task-log.ts";

const STOPPED = "the gateway stopped before the agent finished";

export class LiveTasks {
  readonly #executions = new ChurningMap<Execution>();
  readonly #opening = new ChurningMap<Promise<Execution | undefined>>();
  readonly #context: ExecutionContext;
  readonly #limit: number;
  #drained: Deferred<void> | undefined;

  /** @param limit how many tasks may be live at a time; past it, new turns are refused as UNAVAILABLE. */
  constructor(context: Omit<ExecutionContext, "idle">, limit: number) {
    this.#limit = limit;
    this.#context = {
      ...context,
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

  all(): readonly Execution[] {
    return this.#executions.values();
  }

  get(id: string): Execution | undefined {
    return this.#executions.get(id);
  }

  /** Throws UNAVAILABLE when no further task may become live. */
  checkRoom(): void {
    if (this.#executions.size < this.#limit) return;
    const text = `${this.#limit} tasks are running already`;
    throw new A2AError("UNAVAILABLE", text, { retryAfter: 1 });
  }

  create(agent: Agent, key: TaskKey, sent: SentMessage | undefined): Execution {
    const execution = Execution.create(agent, this.#context, key, sent);
    this.#executions.set(key.id, execution);
    return execution;
  }

  /**
   * The execution of a stored task, made from what `load` finds if there is none; undefined when it finds nothing.
   * What the caller wants of it must be asked for before the next await, or it may be gone again.
   */
  open(
    agent: Agent,
    id: string,
    load: () => Promise<StoredTask | undefined>,
  ): Promise<Execution | undefined> {
    const live = this.#executions.get(id);
    if (live) return Promise.resolve(live);
    const opening = this.#opening.get(id) ?? this.#load(agent, id, load);
    this.#opening.set(id, opening);
    return opening;
  }

  /** Lets turns finish for that long, then ends them: their tasks fail, or wait for the next start to run again. */
  async drain(graceMs: number): Promise<void> {
    if (this.#executions.size > 0) {
      this.#drained = deferred();
      const timer = setTimeout(() => this.#drained?.resolve(), graceMs);
      await this.#drained.promise;
      clearTimeout(timer);
    }
    await Promise.all(
      this.all().map((execution) =>
        execution.interrupt(execution.agent.onRestart === "rerun" ? undefined : STOPPED),
      ),
    );
  }

  async #load(
    agent: Agent,
    id: string,
    load: () => Promise<StoredTask | undefined>,
  ): Promise<Execution | undefined> {
    try {
      const stored = await load();
      if (!stored) return undefined;
      const execution = Execution.resume(agent, this.#context, stored);
      this.#executions.set(id, execution);
      return execution;
    } finally {
      this.#opening.delete(id);
    }
  }

  #remove(execution: Execution): void {
    const { id } = execution.key;
    if (this.#executions.get(id) === execution) this.#executions.delete(id);
    if (this.#executions.size === 0) this.#drained?.resolve();
  }
}
