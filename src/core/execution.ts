/**
 * One live task: its turns, one after another. Each event of a handler is taken, applied, committed and published, in
 * that order, to the end. Nothing here depends on a caller still being there.
 */
import { A2AError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isInterrupted, isTerminal, type TaskState } from "../protocol/states.ts";
import type { LiveTask } from "./apply-event.ts";
import { deferred, type Deferred } from "./deferred.ts";
import type { EventHub, Published } from "./event-hub.ts";
import { endedError } from "./ended-error.ts";
import { failureTextOf } from "./failure-text.ts";
import {
  ConflictError,
  type Agent,
  type Clock,
  type HandlerEvent,
  type Log,
  type SentMessage,
  type StoredTask,
  type TaskStore,
} from "./ports.ts";
import {
  agentMessageOf,
  openingOf,
  reopeningOf,
  statusEventOf,
  taskEventOf,
} from "./task-events.ts";
import { TaskLog, type CommitListener, type TaskKey } from "./task-log.ts";
import { TurnView } from "./turn-view.ts";
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

export class Execution implements CommitListener {
  readonly agent: Agent;
  readonly #context: ExecutionContext;
  readonly #log: TaskLog;
  #current: RunningTurn | undefined;
  #queue: RunningTurn[] = [];
  #ended: Deferred<StoredTask> | undefined;
  #droppedEvents = 0;

  private constructor(
    agent: Agent,
    context: ExecutionContext,
    open: (l: CommitListener) => TaskLog,
  ) {
    this.agent = agent;
    this.#context = context;
    this.#log = open(this);
  }

  /** A task that does not exist yet: it is created by its first event. */
  static create(
    agent: Agent,
    context: ExecutionContext,
    key: TaskKey,
    sent: SentMessage | undefined,
  ): Execution {
    return new Execution(agent, context, (self) => new TaskLog(key, context.store, self, sent));
  }

  /** A task that the store holds. */
  static resume(agent: Agent, context: ExecutionContext, stored: StoredTask): Execution {
    return new Execution(agent, context, (self) => TaskLog.resume(stored, context.store, self));
  }

  get key(): TaskKey {
    return this.#log.key;
  }

  /** The state with every event so far; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#log.state;
  }

  get live(): LiveTask | undefined {
    return this.#log.live;
  }

  /** The turn that runs now. */
  get turn(): RunningTurn | undefined {
    return this.#current;
  }

  /** Queues a turn; it starts at once when none is running. */
  start(request: TurnRequest): RunningTurn {
    const turn = new RunningTurn(request);
    if (this.#current || !this.#log.isFlushed) this.#queue.push(turn);
    else this.#begin(turn);
    return turn;
  }

  /** Runs the turn again that a restart has cut: its task is open already. */
  resume(request: TurnRequest): void {
    const turn = new RunningTurn(request);
    turn.opened = true;
    this.#begin(turn);
  }

  /** Makes sure the turn's task exists, and holds its message even while a turn before it runs: somebody needs it. */
  open(turn: RunningTurn): void {
    if (turn.over || turn.opened) return;
    if (turn === this.#current) this.#open(turn);
    else void this.#openWaiting(turn);
  }

  /**
   * Asks for the task to be canceled and resolves with it in its terminal state, which is another one than CANCELED
   * when the handler was faster.
   */
  cancel(metadata: JsonObject | undefined): Promise<StoredTask> {
    this.#ended ??= deferred();
    const turn = this.#current;
    if (turn && !turn.over) {
      if (!turn.canceling) this.#cancelTurn(turn, metadata);
    } else {
      this.#appendStatus("TASK_STATE_CANCELED");
      if (!turn) void this.#log.flushed().then(() => this.#next());
    }
    return this.#ended.promise;
  }

  /**
   * Ends the turn that runs and those that wait, because the gateway stops. With a text the task fails with it;
   * without one it stays as it is and is taken up at the next start.
   */
  async interrupt(text: string | undefined): Promise<void> {
    const error = new A2AError("UNAVAILABLE", "the gateway is stopping: try again");
    const turn = this.#current;
    if (text !== undefined && turn && !turn.over && this.#log.live) this.#fail(text);
    for (const waiting of this.#queue) waiting.reject(error);
    this.#queue = [];
    if (turn) {
      this.#finish(turn);
      turn.abort(error);
    }
    await this.#log.flushed();
    turn?.reject(error);
  }

  /** Fails a task that no turn runs for, with that text. */
  async fail(text: string): Promise<void> {
    this.#fail(text);
    await this.#log.flushed();
    this.#next();
  }

  // ---- A turn from its handler's events -------------------------------------------------------------------------

  #begin(turn: RunningTurn): void {
    this.#current = turn;
    const { state } = this;
    if (turn.opened && state && isInterrupted(state)) this.#appendStatus("TASK_STATE_WORKING");
    const { agent } = this;
    turn.after(agent.turnTimeoutMs, () => this.#timeOut(turn));
    void this.#run(turn);
  }

  async #run(turn: RunningTurn): Promise<void> {
    try {
      turn.view = new TurnView(this.key, turn, this.#log.live);
      for await (const event of this.agent.handler.handle(turn.view)) {
        if (turn.over) return this.#drop(event);
        this.#take(turn, event);
        if (turn.over) return;
        const room = this.#log.room();
        if (room) await room;
      }
      if (!turn.over) this.#handlerEnded(turn);
    } catch (thrown) {
      if (turn.over)
        this.#context.log.debug({ err: thrown, ...this.#names() }, "ended handler threw");
      else this.#handlerThrew(turn, thrown);
    }
  }

  #take(turn: RunningTurn, event: HandlerEvent): void {
    if (event.kind === "message") return this.#takeMessage(turn, event);
    const opening = turn.opened ? undefined : this.#open(turn);
    if (opening !== undefined && isBareStatus(event, opening)) return;
    const live = this.#log.live;
    if (!live || !this.#log.append(taskEventOf(live, event, this.#context.clock))) {
      return this.#drop(event);
    }
    if (isTerminal(live.status.state)) this.#finish(turn);
  }

  #takeMessage(turn: RunningTurn, { message }: HandlerEvent & { kind: "message" }): void {
    const { key } = this;
    if (!this.#log.live) {
      turn.answer(agentMessageOf(message, key.contextId, undefined, this.#context.clock));
      return this.#finish(turn);
    }
    // The task exists, because somebody needed its id or an event came before: the message ends it.
    this.#open(turn);
    const status = { state: "TASK_STATE_COMPLETED", message } as const;
    this.#log.append(statusEventOf(this.#log.live, status, this.#context.clock));
    this.#finish(turn);
  }

  /** Creates the task, or takes it up again, if the turn has not done so; the state that this brought. */
  #open(turn: RunningTurn): TaskState | undefined {
    if (turn.opened) return undefined;
    turn.opened = true;
    const { clock } = this.#context;
    const { live } = this.#log;
    const { message } = turn.request;
    if (live) this.#log.append(reopeningOf(live, message, clock));
    else this.#log.append(openingOf(this.key.id, this.key.contextId, message, clock));
    return this.#log.state;
  }

  /** After what the turn before it has said so far, or that turn's caller would miss a state to stop at. */
  async #openWaiting(turn: RunningTurn): Promise<void> {
    await this.#log.flushed();
    if (turn.over || turn.opened || !this.#queue.includes(turn)) return;
    this.#open(turn);
    await this.#log.flushed();
    turn.started(undefined);
  }

  #handlerEnded(turn: RunningTurn): void {
    if (turn.canceling) this.#appendStatus("TASK_STATE_CANCELED");
    else {
      this.#open(turn);
      if (!isSettled(this.#log.state)) this.#appendStatus("TASK_STATE_COMPLETED");
    }
    this.#finish(turn);
  }

  #handlerThrew(turn: RunningTurn, thrown: unknown): void {
    const expected = A2AError.is(thrown);
    if (!expected) this.#context.log.warn({ err: thrown, ...this.#names() }, "handler failed");
    if (turn.canceling) this.#appendStatus("TASK_STATE_CANCELED");
    else if (expected && !turn.opened) turn.reject(thrown);
    else {
      this.#open(turn);
      this.#fail(failureTextOf(thrown));
    }
    this.#finish(turn);
  }

  #timeOut(turn: RunningTurn): void {
    const text = `the agent did not finish within ${this.agent.turnTimeoutMs} ms`;
    turn.abort(new A2AError("DEADLINE_EXCEEDED", text));
    this.#open(turn);
    this.#fail(text);
    this.#finish(turn);
  }

  #cancelTurn(turn: RunningTurn, metadata: JsonObject | undefined): void {
    turn.canceling = true;
    turn.abort(new A2AError("CANCELLED", "the task was canceled"));
    turn.after(Math.max(1, this.agent.cancelGraceMs), () => {
      this.#appendStatus("TASK_STATE_CANCELED");
      this.#finish(turn);
    });
    const { cancel } = this.agent.handler;
    if (!cancel || !turn.view) return;
    cancel.call(this.agent.handler, turn.view, metadata).catch((thrown: unknown) => {
      this.#context.log.warn({ err: thrown, ...this.#names() }, "handler failed to cancel");
    });
  }

  /** The turn is over; the next one starts once its last event is committed, so that each caller sees its own end. */
  #finish(turn: RunningTurn): void {
    if (turn.over) return;
    turn.end();
    if (turn === this.#current) void this.#log.flushed().then(() => this.#next());
  }

  #next(): void {
    this.#current = undefined;
    if (this.#log.state !== undefined && isTerminal(this.#log.state)) {
      for (const turn of this.#queue) turn.reject(endedError(this.key.id, this.#log.state));
      this.#queue = [];
    }
    const turn = this.#queue.shift();
    if (turn) this.#begin(turn);
    else this.#context.idle(this);
  }

  // ---- Commits --------------------------------------------------------------------------------------------------

  committed(events: readonly Published[], stored: StoredTask | undefined): void {
    for (const event of events) this.#context.hub.publish(this.key.id, event);
    const state = events.at(-1)?.state;
    const turn = this.#current;
    if (stored && state !== undefined && isTerminal(state)) this.#ended?.resolve(stored);
    if (turn?.opened) {
      if (stored && isSettled(state)) turn.settle(stored);
      else turn.started(stored);
    }
  }

  lost(thrown: unknown): void {
    const error = ConflictError.is(thrown)
      ? new A2AError("UNAVAILABLE", "the task was changed elsewhere: try again", { cause: thrown })
      : new A2AError("INTERNAL_ERROR", "the task could not be stored", { cause: thrown });
    this.#context.log.error({ err: thrown, ...this.#names() }, "commit failed");
    this.#context.hub.fail(this.key.id, error);
    this.#ended?.reject(error);
    for (const turn of this.#current ? [this.#current, ...this.#queue] : this.#queue) {
      turn.end();
      turn.abort(error);
      turn.reject(error);
    }
    this.#current = undefined;
    this.#queue = [];
    this.#context.lost(this);
  }

  #appendStatus(state: TaskState): void {
    const { live } = this.#log;
    if (live) this.#log.append(statusEventOf(live, { state }, this.#context.clock));
  }

  #fail(text: string): void {
    const { live } = this.#log;
    const status = { state: "TASK_STATE_FAILED", message: { parts: [{ text }] } } as const;
    if (live) this.#log.append(statusEventOf(live, status, this.#context.clock));
  }

  #drop(event: HandlerEvent): void {
    this.#droppedEvents++;
    const fields = { kind: event.kind, dropped: this.#droppedEvents, ...this.#names() };
    this.#context.log.debug(fields, "event after the end dropped");
  }

  #names(): { readonly agent: string; readonly task: string } {
    return { agent: this.agent.id, task: this.key.id };
  }
}

/** Whether a turn's caller has its answer in that state (spec 3.2.2). */
function isSettled(state: TaskState | undefined): boolean {
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}

/** A status that says no more than that state, which the turn's opening brought already. */
function isBareStatus(event: HandlerEvent, state: TaskState): boolean {
  return event.kind === "status" && event.state === state && !event.message && !event.metadata;
}
