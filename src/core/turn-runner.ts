/** One turn of a task from its handler's first event to its last: each is taken, applied and handed on to be committed. */
import { A2AError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isInterrupted, isTerminal, type TaskState } from "../protocol/states.ts";
import type { EventLog } from "./event-log.ts";
import { failureTextOf } from "./failure-text.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { Handler, HandlerEvent, Turn } from "./ports/handler.ts";
import type { Log } from "./ports/log.ts";
import {
  agentMessageOf,
  openingOf,
  reopeningOf,
  statusEventOf,
  taskEventOf,
} from "./task-events.ts";
import { inContext, TurnView } from "./turn-view.ts";
import type { RunningTurn } from "./turn.ts";

export interface TurnRunnerParts {
  readonly agent: Agent;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked once when a turn begins to change the task; false when it may not, and is to end. */
  opening(turn: RunningTurn): boolean;
  /** Told once when a turn is over; what it brought may not be committed yet. */
  finished(turn: RunningTurn): void;
}

export class TurnRunner {
  readonly #parts: TurnRunnerParts;
  #droppedEvents = 0;

  constructor(parts: TurnRunnerParts) {
    this.#parts = parts;
  }

  /** Runs the turn's handler. Never rejects: whatever is thrown fails the turn. */
  async run(turn: RunningTurn): Promise<void> {
    const { agent, events, log } = this.#parts;
    turn.after(agent.turnTimeoutMs, () => this.#timeOut(turn));
    try {
      turn.view = new TurnView(turn, events);
      for await (const event of handled(turn, turn.view, agent.handler)) {
        if (turn.over) return this.#drop(event);
        this.#take(turn, event);
        if (turn.over) return;
        const room = events.room();
        if (room) await room;
      }
      if (!turn.over) this.#handlerEnded(turn);
    } catch (thrown) {
      if (turn.over) log.debug({ err: thrown, ...this.#names() }, "ended handler threw");
      else this.#handlerThrew(turn, thrown);
    }
  }

  /** Creates the task, or takes it up again, if the turn has not done so; the state that this brought. */
  open(turn: RunningTurn): TaskState | undefined {
    if (turn.opened) return undefined;
    turn.opened = true;
    const { events, clock } = this.#parts;
    const { pushConfig } = turn.request;
    if (pushConfig) events.addPushConfig(pushConfig, clock.now());
    const message = inContext(turn.request.message, events.key.contextId);
    if (events.live) events.append(reopeningOf(events.live, message, clock));
    else events.append(openingOf(events.key.id, events.key.contextId, message, clock));
    return events.state;
  }

  /** Tells the handler, once; the state is taken by force when it does not end within the agent's grace period. */
  cancel(turn: RunningTurn, metadata: JsonObject | undefined): void {
    if (turn.canceling) return;
    const { agent, log } = this.#parts;
    turn.canceling = true;
    turn.abort(new A2AError("CANCELLED", "the task was canceled"));
    turn.after(Math.max(1, agent.cancelGraceMs), () => {
      this.setState("TASK_STATE_CANCELED");
      this.#finish(turn);
    });
    const { cancel } = agent.handler;
    if (!cancel || !turn.view) return;
    cancel.call(agent.handler, turn.view, metadata).catch((thrown: unknown) => {
      log.warn({ err: thrown, ...this.#names() }, "handler failed to cancel");
    });
  }

  /** With a text that says why, where there is one. */
  setState(state: TaskState, text?: string): void {
    const { events, clock } = this.#parts;
    const said = text !== undefined && { message: { parts: [{ text }] } };
    if (events.live) events.append(statusEventOf(events.live, { state, ...said }, clock));
  }

  fail(text: string): void {
    this.setState("TASK_STATE_FAILED", text);
  }

  #take(turn: RunningTurn, event: HandlerEvent): void {
    if (event.kind === "message") return this.#takeMessage(turn, event);
    if (event.kind === "upstream") return this.#takeUpstream(turn, event);
    const { events, clock } = this.#parts;
    if (!turn.opened && !this.#parts.opening(turn)) return this.#shutOut(turn);
    const opening = this.open(turn);
    if (opening !== undefined && isBareStatus(event, opening)) return;
    const { live } = events;
    if (!live || !events.append(taskEventOf(live, event, clock))) return this.#drop(event);
    if (isTerminal(live.status.state)) this.#finish(turn);
  }

  #takeMessage(turn: RunningTurn, { message }: HandlerEvent & { kind: "message" }): void {
    const { events, clock } = this.#parts;
    const { live, key } = events;
    if (live && !turn.opened && !this.#parts.opening(turn)) return this.#shutOut(turn);
    if (live) {
      // The task exists, because somebody needed its id or an event came before: the message ends it.
      this.open(turn);
      events.append(statusEventOf(live, { state: "TASK_STATE_COMPLETED", message }, clock));
    } else turn.answer(agentMessageOf(message, key.contextId, undefined, clock));
    this.#finish(turn);
  }

  #takeUpstream(turn: RunningTurn, event: HandlerEvent & { kind: "upstream" }): void {
    const { events } = this.#parts;
    const { taskId, contextId } = event;
    if (contextId !== undefined && !turn.request.contextGiven) events.adoptContext(contextId);
    if (taskId !== undefined) events.upstream = { taskId, contextId };
  }

  #handlerEnded(turn: RunningTurn): void {
    const { events } = this.#parts;
    if (turn.canceling) this.setState("TASK_STATE_CANCELED");
    else if (!turn.opened && !this.#parts.opening(turn)) return this.#shutOut(turn);
    else {
      this.open(turn);
      if (!isSettled(events.state)) this.setState("TASK_STATE_COMPLETED");
    }
    this.#finish(turn);
  }

  #handlerThrew(turn: RunningTurn, thrown: unknown): void {
    const expected = A2AError.is(thrown);
    if (!expected) this.#parts.log.warn({ err: thrown, ...this.#names() }, "handler failed");
    if (turn.canceling) this.setState("TASK_STATE_CANCELED");
    else if (expected && !turn.opened) turn.reject(A2AError.from(thrown));
    else if (!turn.opened && !this.#parts.opening(turn)) return this.#shutOut(turn);
    else {
      this.open(turn);
      this.fail(failureTextOf(thrown));
    }
    this.#finish(turn);
  }

  #timeOut(turn: RunningTurn): void {
    const text = `the agent did not finish within ${this.#parts.agent.turnTimeoutMs} ms`;
    turn.abort(new A2AError("DEADLINE_EXCEEDED", text));
    // It waits for its caller, and is followed no longer; what the caller sends is a new turn.
    if (turn.opened && !turn.canceling && isSettled(this.#parts.events.state))
      return this.#finish(turn);
    if (turn.canceling) this.setState("TASK_STATE_CANCELED");
    else if (!turn.opened && !this.#parts.opening(turn)) return this.#shutOut(turn);
    else {
      this.open(turn);
      this.fail(text);
    }
    this.#finish(turn);
  }

  /** The task ends without it: whoever sent the message hears that. */
  #shutOut(turn: RunningTurn): void {
    const { key } = this.#parts.events;
    turn.reject(new A2AError("UNSUPPORTED_OPERATION", `task ${key.id} is about to end`));
    this.#finish(turn);
  }

  #finish(turn: RunningTurn): void {
    if (turn.over) return;
    turn.end();
    this.#parts.finished(turn);
  }

  #drop(event: HandlerEvent): void {
    const fields = { kind: event.kind, dropped: ++this.#droppedEvents, ...this.#names() };
    this.#parts.log.debug(fields, "event after the end dropped");
  }

  #names(): { readonly agent: string; readonly task: string } {
    return { agent: this.#parts.agent.id, task: this.#parts.events.key.id };
  }
}

function handled(turn: RunningTurn, view: Turn, handler: Handler): AsyncIterable<HandlerEvent> {
  return turn.resumes && handler.resume ? handler.resume(view) : handler.handle(view);
}

/** Whether a turn's caller has its answer in that state (spec 3.2.2). */
export function isSettled(state: TaskState | undefined): boolean {
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}

/** A status that says no more than that state, which the turn's opening brought already. */
function isBareStatus(event: HandlerEvent, state: TaskState): boolean {
  if (event.kind !== "status" || event.state !== state) return false;
  return !event.message && !event.metadata && !event.history?.length;
}
