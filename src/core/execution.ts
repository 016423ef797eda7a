/**
 * One live task: its turns, one after another, and whoever waits for them. Events are committed and then published,
 * to the end; nothing here depends on a caller still being there.
 */
import { A2AError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isInterrupted, isTerminal, type TaskState } from "../protocol/states.ts";
import { deferred, type Deferred } from "./deferred.ts";
import type { EventHub, Published } from "./event-hub.ts";
import { EventLog, type TaskKey } from "./event-log.ts";
import {
  ConflictError,
  type Agent,
  type Clock,
  type Log,
  type SentMessage,
  type StoredTask,
  type TaskStore,
  type Upstream,
} from "./ports.ts";
import { endedError } from "./task-errors.ts";
import { resumptionOf } from "./turn-request.ts";
import { isSettled, TurnRunner } from "./turn-runner.ts";
import { RunningTurn, type TurnRequest } from "./turn.ts";

/** What executions share. */
export interface ExecutionContext {
  readonly store: TaskStore;
  readonly hub: EventHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when nothing is left to do for the task in memory. */
  idle(execution: Execution): void;
  /** Told when the task's last commit failed for good. */
  lost(execution: Execution): void;
}

/** A task that does not exist yet, and is created by its first event, or one that the store holds. */
export type Origin =
  | { readonly kind: "new"; readonly key: TaskKey; readonly sent: SentMessage | undefined }
  | {
      readonly kind: "stored";
      readonly stored: StoredTask;
      readonly upstream: Upstream | undefined;
    };

export class Execution {
  readonly agent: Agent;
  readonly #context: ExecutionContext;
  readonly #events: EventLog;
  readonly #runner: TurnRunner;
  #current: RunningTurn | undefined;
  #queue: RunningTurn[] = [];
  /** The task as committed in its terminal state. */
  #ended: StoredTask | undefined;
  #ending: Deferred<StoredTask> | undefined;

  constructor(agent: Agent, context: ExecutionContext, origin: Origin) {
    const { store, clock, log } = context;
    const listener = {
      committed: (events: readonly Published[], stored: StoredTask | undefined) =>
        this.#committed(events, stored),
      lost: (thrown: unknown) => this.#lost(thrown),
    };
    this.agent = agent;
    this.#context = context;
    this.#events =
      origin.kind === "new"
        ? new EventLog({ key: origin.key, store, listener, sent: origin.sent })
        : EventLog.resume(origin.stored, store, listener, origin.upstream);
    const finished = (turn: RunningTurn): void => {
      if (turn === this.#current) this.#nextOnceFlushed();
    };
    this.#runner = new TurnRunner({ agent, events: this.#events, clock, log, finished });
  }

  get key(): TaskKey {
    return this.#events.key;
  }

  /** The state with every event so far; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#events.state;
  }

  /** The turn that runs now. */
  get turn(): RunningTurn | undefined {
    return this.#current;
  }

  /** Queues a turn; it starts at once when none is running, or when it takes the place of the one that is. */
  start(request: TurnRequest): RunningTurn {
    const turn = new RunningTurn(request);
    const { agent } = this;
    if (this.#current || !this.#events.isFlushed) this.#queue.push(turn);
    else this.#begin(turn);
    if (agent.handler.resume && this.#current !== turn) this.#replaceCurrent(turn);
    return turn;
  }

  /** Runs the turn again that a restart has cut: its task is open already. */
  rerun(request: TurnRequest): void {
    const turn = new RunningTurn(request);
    turn.opened = true;
    this.#begin(turn);
  }

  /** Goes on with a task that lives elsewhere, for which no turn runs. */
  resume(request: TurnRequest): RunningTurn {
    const turn = new RunningTurn(request);
    turn.opened = true;
    turn.resumes = true;
    this.#begin(turn);
    return turn;
  }

  /** Makes sure the turn's task exists, and holds its message even while a turn before it runs: somebody needs it. */
  open(turn: RunningTurn): void {
    if (turn.over || turn.opened) return;
    if (turn === this.#current) this.#runner.open(turn);
    else void this.#openWaiting(turn).catch((thrown: unknown) => this.#events.lose(thrown));
  }

  /**
   * Asks for the task to be canceled and resolves with it in its terminal state, which is another one than CANCELED
   * when the handler was faster.
   */
  cancel(metadata: JsonObject | undefined): Promise<StoredTask> {
    if (this.#ended) return Promise.resolve(this.#ended);
    this.#ending ??= deferred();
    const turn = this.#current;
    if (turn && !turn.over) this.#runner.cancel(turn, metadata);
    else if (!turn && this.#isElsewhere) {
      const { key, live } = this.#events;
      this.#runner.cancel(this.resume(resumptionOf(key, live?.history ?? [])), metadata);
    } else {
      this.#runner.setState("TASK_STATE_CANCELED");
      if (!turn) this.#nextOnceFlushed();
    }
    return this.#ending.promise;
  }

  get #isElsewhere(): boolean {
    return this.agent.handler.resume !== undefined && this.#events.upstream !== undefined;
  }

  /**
   * Ends the turn that runs and those that wait, because the gateway stops. With a text the task fails with it;
   * without one it stays as it is and is taken up at the next start. A cancellation on its way comes first.
   */
  async interrupt(text: string | undefined): Promise<void> {
    const error = new A2AError("UNAVAILABLE", "the gateway is stopping: try again");
    const turn = this.#current;
    for (const waiting of this.#queue) waiting.reject(error);
    this.#queue = [];
    if (turn && !turn.over) {
      if (turn.canceling) this.#runner.setState("TASK_STATE_CANCELED");
      else if (text !== undefined) this.#runner.fail(text);
      turn.end();
      turn.abort(error);
      this.#nextOnceFlushed();
    }
    await this.#events.flushed();
    turn?.reject(error);
  }

  #begin(turn: RunningTurn): void {
    this.#current = turn;
    turn.begunAfter = this.#events.generation;
    const { state } = this;
    // The turn was recorded while the one before it ran, which may have stopped to ask since.
    if (turn.opened && !turn.resumes && state && isInterrupted(state))
      this.#runner.setState("TASK_STATE_WORKING");
    void this.#runner.run(turn).catch((thrown: unknown) => this.#events.lose(thrown));
  }

  /** What runs is not listened to any more; its callers wait for the turn that takes its place. */
  #replaceCurrent(turn: RunningTurn): void {
    const current = this.#current;
    if (!current || current.over || current.canceling || !current.opened) return;
    current.end();
    current.abort(new A2AError("CANCELLED", "a further message takes over"));
    current.replacedBy(turn);
    this.#nextOnceFlushed();
  }

  /** After what the turn before it has said so far, or that turn's caller would miss a state to stop at. */
  async #openWaiting(turn: RunningTurn): Promise<void> {
    await this.#events.flushed();
    if (turn.over || turn.opened || !this.#queue.includes(turn)) return;
    this.#runner.open(turn);
    await this.#events.flushed();
    turn.started(undefined);
  }

  /** The next turn starts once the last event of this one is committed, so that each caller sees its own end. */
  #nextOnceFlushed(): void {
    void this.#events
      .flushed()
      .then(() => this.#next())
      .catch((thrown: unknown) => this.#events.lose(thrown));
  }

  #next(): void {
    this.#current = undefined;
    const { state } = this;
    if (state !== undefined && isTerminal(state)) {
      for (const turn of this.#queue) turn.reject(endedError(this.key.id, state));
      this.#queue = [];
    }
    const turn = this.#queue.shift();
    if (turn) this.#begin(turn);
    else this.#context.idle(this);
  }

  #committed(events: readonly Published[], stored: StoredTask | undefined): void {
    for (const event of events) this.#context.hub.publish(this.key.id, event);
    const state = events.at(-1)?.state;
    if (stored && state !== undefined && isTerminal(state)) {
      this.#ended = stored;
      this.#ending?.resolve(stored);
    }
    const turn = this.#current;
    if (!turn?.opened) return;
    if (stored && isSettled(state)) turn.settle(stored);
    else turn.started(stored);
    const [waiting] = this.#queue;
    if (waiting && this.agent.handler.resume) this.#replaceCurrent(waiting);
  }

  #lost(thrown: unknown): void {
    const { id: task, agent } = this.key;
    // Logged here, once: everybody who waits gets the same error.
    this.#context.log.error({ err: thrown, agent, task }, "commit failed");
    const error = lostError(thrown);
    this.#context.hub.fail(task, error);
    this.#ending?.reject(error);
    for (const turn of this.#current ? [this.#current, ...this.#queue] : this.#queue) {
      turn.end();
      turn.abort(error);
      turn.reject(error);
    }
    this.#current = undefined;
    this.#queue = [];
    this.#context.lost(this);
  }
}

/** What everybody who waits is told of a commit that failed. */
function lostError(thrown: unknown): A2AError {
  const details = { cause: thrown, reported: true };
  if (ConflictError.is(thrown)) {
    return new A2AError("UNAVAILABLE", "the task was changed elsewhere: try again", details);
  }
  if (!A2AError.is(thrown)) {
    return new A2AError("INTERNAL_ERROR", "the task could not be stored", details);
  }
  const { reason, message, retryAfter } = A2AError.from(thrown);
  const wait = retryAfter === undefined ? {} : { retryAfter };
  return new A2AError(reason, message, Object.assign(details, wait));
}
