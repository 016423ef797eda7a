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
import type { Reservation } from "./limits/task-quota.ts";
import type { Place } from "./limits/place.ts";
import type { TurnPlaces } from "./limits/turn-places.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Upstream } from "./ports/handler.ts";
import type { Log } from "./ports/log.ts";
import type { SentMessage, StoredTask, TaskStore } from "./ports/task-store.ts";
import { endedError, lostError } from "./task-errors.ts";
import { resumptionOf } from "./turn-request.ts";
import { isSettled, TurnRunner } from "./turn-runner.ts";
import { RunningTurn, type TurnRequest } from "./turn.ts";

/** What executions share. */
export interface ExecutionContext {
  readonly store: TaskStore;
  readonly hub: EventHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly places: TurnPlaces;
  /** Told when nothing is left to do for the task in memory. */
  idle(execution: Execution): void;
  /** Told when the task's last commit failed for good. */
  lost(execution: Execution): void;
}

/** A task that does not exist yet, and is created by its first event, or one that the store holds. */
export type Origin =
  | {
      readonly kind: "new";
      readonly key: TaskKey;
      readonly sent: SentMessage | undefined;
      readonly reservation: Reservation | undefined;
    }
  | {
      readonly kind: "stored";
      readonly stored: StoredTask;
      readonly upstream: Upstream | undefined;
    };

export class Execution {
  readonly agent: Agent;
  /** What the task counts as until it is there; undefined where nothing is counted. */
  readonly reservation: Reservation | undefined;
  readonly #context: ExecutionContext;
  readonly #events: EventLog;
  readonly #runner: TurnRunner;
  #current: RunningTurn | undefined;
  #queue: RunningTurn[] = [];
  /** Turns that run beside the current one, and take its place with their first event. */
  readonly #challengers = new Set<RunningTurn>();
  /** A cancel that waits for the turn before it to be written. */
  #cancelAsked: { readonly metadata: JsonObject | undefined } | undefined;
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
    this.reservation = origin.kind === "new" ? origin.reservation : undefined;
    this.#context = context;
    this.#events =
      origin.kind === "new"
        ? new EventLog({ key: origin.key, store, listener, sent: origin.sent })
        : EventLog.resume({ ...origin, store, listener });
    this.#runner = new TurnRunner({
      agent,
      events: this.#events,
      clock,
      log,
      opening: (turn) => this.#takesOver(turn),
      finished: (turn) => {
        if (turn === this.#current) this.#nextOnceFlushed();
        else if (this.#challengers.delete(turn)) this.#challenge();
      },
    });
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

  /** Whether the next start goes on with what is going on now. */
  get isTakenUp(): boolean {
    return this.agent.onRestart === "rerun" || this.#isElsewhere;
  }

  /** To be asked right before `start`: throws as `TurnPlaces.checkBehind` where the turn may not wait for the one that runs. */
  checkRoom(place: Place | undefined): void {
    if (!this.#current || this.#current.over) return;
    const waiting = this.#queue.length + this.#challengers.size;
    // It runs beside the other one.
    if (waiting === 0 && this.#isElsewhere) return;
    this.#context.places.checkBehind(this.agent, place, waiting);
  }

  /**
   * Queues a turn; it starts at once when none is running, or when it may take the place of the one that is, and its
   * agent has a place for it.
   */
  start(request: TurnRequest, place: Place | undefined): RunningTurn {
    const turn = new RunningTurn(request, place);
    if (this.#current || !this.#events.isFlushed) {
      place?.stayBehind();
      this.#queue.push(turn);
    } else this.#begin(turn);
    this.#challenge();
    return turn;
  }

  /** Goes on with a task whose turn was cut: runs the turn again, or takes the task up where it lives. */
  takeUp(kind: "rerun" | "resume"): RunningTurn {
    const { key, live } = this.#events;
    const request = resumptionOf(key, live?.history ?? []);
    const turn = new RunningTurn(request, this.#context.places.join(this.agent, request.caller));
    turn.opened = true;
    turn.resumes = kind === "resume";
    turn.reruns = kind === "rerun";
    // It runs there already.
    if (turn.resumes) turn.place?.force();
    this.#begin(turn);
    return turn;
  }

  /** Makes sure the turn's task exists, and holds its message even while a turn before it runs: somebody needs it. */
  open(turn: RunningTurn): void {
    if (turn.over || turn.opened) return;
    if (turn === this.#current) this.#runner.open(turn);
    else if (this.#challengers.has(turn)) {
      if (this.#takesOver(turn)) this.#runner.open(turn);
    } else void this.#openWaiting(turn).catch((thrown: unknown) => this.#events.lose(thrown));
  }

  /**
   * Asks for the task to be canceled and resolves with it in its terminal state, which is another one than CANCELED
   * when the handler was faster.
   */
  cancel(metadata: JsonObject | undefined): Promise<StoredTask> {
    if (this.#ended) return Promise.resolve(this.#ended);
    this.#ending ??= deferred();
    const turn = this.#current;
    if (turn?.waits && !turn.over) this.#cancelWaiting(turn, metadata);
    else if (turn && !turn.over) this.#runner.cancel(turn, metadata);
    else if (this.#isElsewhere) {
      this.#cancelAsked = { metadata };
      if (!turn) this.#next();
    } else {
      this.#runner.setState("TASK_STATE_CANCELED");
      if (!turn) this.#nextOnceFlushed();
    }
    return this.#ending.promise;
  }

  /**
   * Ends the turn that runs and those that wait, because the gateway or the agent stops. With a text the task fails with
   * it; without one it stays as it is and is taken up at the next start. A cancellation on its way comes first. Callers
   * for whom there is no task to answer with get the error.
   */
  async interrupt(text: string | undefined, error: A2AError): Promise<void> {
    const turn = this.#current;
    this.#dismiss(() => error);
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

  /** Whether the task lives at a remote agent, whose word counts. */
  get #isElsewhere(): boolean {
    return this.agent.handler.resume !== undefined && this.#events.upstream !== undefined;
  }

  #begin(turn: RunningTurn): void {
    this.#current = turn;
    turn.begunAfter = this.#events.generation;
    const { state } = this;
    // The turn was recorded while the one before it ran, which may have stopped to ask since.
    if (turn.opened && !turn.resumes && state && isInterrupted(state))
      this.#runner.setState("TASK_STATE_WORKING");
    if (!turn.place || turn.resumes) return this.#run(turn);
    turn.waits = true;
    const enter = (): void => {
      turn.waits = false;
      this.#run(turn);
    };
    const tooLate = (error: A2AError): void => this.#tooLate(turn, state, error);
    // What was acknowledged before a restart is not refused after it.
    turn.place.ready({ enter, tooLate }, { patient: turn.reruns });
  }

  #run(turn: RunningTurn): void {
    void this.#runner.run(turn).catch((thrown: unknown) => this.#events.lose(thrown));
  }

  /**
   * No place came free for a turn. Its caller gets the error, unless the task tells of it already: one that was asking
   * when the message came asks again, a new one is rejected.
   */
  #tooLate(turn: RunningTurn, before: TaskState | undefined, error: A2AError): void {
    if (turn.over) return;
    const asks = before !== undefined && isInterrupted(before);
    if (turn.opened) this.#runner.setState(asks ? before : "TASK_STATE_REJECTED", error.message);
    else turn.reject(error);
    turn.end();
    this.#nextOnceFlushed();
  }

  /** The handler has not been called, and hears nothing of it. */
  #cancelWaiting(turn: RunningTurn, metadata: JsonObject | undefined): void {
    turn.end();
    if (this.#isElsewhere) this.#cancelAsked = { metadata };
    else this.#runner.setState("TASK_STATE_CANCELED");
    this.#nextOnceFlushed();
  }

  /** Lets the turns that wait run beside the one that runs, where the task lives elsewhere. */
  #challenge(): void {
    const current = this.#current;
    if (!current?.opened || current.waits || current.over || current.canceling) return;
    if (!this.#isElsewhere) return;
    // Where turns have a limit, a task has one place, and one turn at a time that is about to take it.
    const most = current.place ? 1 - this.#challengers.size : this.#queue.length;
    for (const turn of this.#queue.splice(0, most)) {
      this.#challengers.add(turn);
      turn.place?.leave();
      this.#run(turn);
    }
  }

  /**
   * Whether a turn may begin to change the task. One that runs beside the current turn takes its place with that: the
   * current one is not listened to any more, and its callers wait for the turn that took over.
   */
  #takesOver(turn: RunningTurn): boolean {
    if (!this.#challengers.delete(turn)) return true;
    const current = this.#current;
    if (!current || current.over || current.canceling) return false;
    turn.place = current.place;
    current.place = undefined;
    current.end();
    current.abort(new A2AError("CANCELLED", "a further message has taken over"));
    current.replacedBy(turn);
    this.#current = turn;
    turn.begunAfter = this.#events.generation;
    return true;
  }

  /** Nothing becomes of the turns that have not begun to change the task. Few tasks have any, and errors are dear. */
  #dismiss(errorOf: () => A2AError): void {
    if (this.#queue.length + this.#challengers.size === 0) return;
    const error = errorOf();
    for (const waiting of this.#queue.splice(0)) {
      waiting.end();
      waiting.reject(error);
    }
    for (const turn of this.#challengers) {
      turn.end();
      turn.abort(error);
      turn.reject(error);
    }
    this.#challengers.clear();
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
    const over = this.#current;
    this.#current = undefined;
    const { state } = this;
    if (state !== undefined && isTerminal(state)) {
      const errorOf = () => endedError(this.key.id, state);
      // One that has not changed the task has not settled with it either.
      if (over?.opened === false) over.reject(errorOf());
      this.#dismiss(errorOf);
    } else if (this.#cancelAsked) {
      const turn = this.#cancelElsewhere(this.#cancelAsked.metadata);
      return over?.replacedBy(turn);
    }
    const turn = this.#queue.shift();
    if (turn) this.#begin(turn);
    else this.#context.idle(this);
  }

  #cancelElsewhere(metadata: JsonObject | undefined): RunningTurn {
    this.#cancelAsked = undefined;
    const turn = this.takeUp("resume");
    this.#runner.cancel(turn, metadata);
    return turn;
  }

  #committed(events: readonly Published[], stored: StoredTask | undefined): void {
    this.reservation?.end();
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
    this.#challenge();
  }

  #lost(thrown: unknown): void {
    const { id: task, agent } = this.key;
    // Logged here, once: everybody who waits gets the same error.
    this.#context.log.error({ err: thrown, agent, task }, "commit failed");
    const error = lostError(thrown);
    this.#context.hub.fail(task, error);
    this.#ending?.reject(error);
    const turn = this.#current;
    turn?.end();
    turn?.abort(error);
    turn?.reject(error);
    this.#current = undefined;
    this.#dismiss(() => error);
    this.#context.lost(this);
  }
}
