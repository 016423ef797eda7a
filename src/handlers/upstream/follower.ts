/** Follows one task at a remote agent to the end of a turn, whatever becomes of the connections on the way. */
import type { HandlerEvent, Turn } from "../../core/ports/handler.ts";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { SendMessageRequest, StreamResponse, Task } from "../../protocol/model.ts";
import { modelOf } from "../../protocol/ready-made.ts";
import { isTerminal, type TaskState } from "../../protocol/states.ts";
import type { ClientEvent } from "../../wire/client.ts";
import type { Signal } from "../cut.ts";
import { Cancellation } from "./cancellation.ts";
import { isCut, isPassing, isUnknown, lostOr } from "./failures.ts";
import { inOwnIds, ownNamesOf } from "./own-ids.ts";
import type { Outbox } from "./outbox.ts";
import { Pace } from "./pace.ts";
import type { Leave, Reattachments } from "./reattachments.ts";
import { endsTurn, Relay } from "./relay.ts";
import type { OpenedStream, Remote } from "./remote.ts";
import { sendRequestOf } from "./send-request.ts";
import type { UpstreamSettings } from "./settings.ts";
import { TaskCalls, type Asking } from "./task-calls.ts";
import type { Timers } from "./timers.ts";
import { TurnCuts } from "./turn-cuts.ts";

export interface FollowerParts {
  readonly turn: Turn;
  readonly remote: Remote;
  readonly reattachments: Reattachments;
  readonly settings: UpstreamSettings;
  readonly timers: Timers;
  readonly log: Log;
  /** Gets the events of the turn. */
  readonly outbox: Outbox<HandlerEvent>;
}

/** What ends the turn unless the agent, asked once more, says how its task has ended. */
type Conclusion =
  | { readonly kind: "event"; readonly response: StreamResponse }
  | { readonly kind: "fault"; readonly thrown: unknown };

/** How often an agent is asked that cannot be reached, or is not as far as its stream, before a turn is concluded. */
const LAST_ATTEMPTS = 3;

export class Follower {
  readonly #parts: FollowerParts;
  readonly #cuts = new TurnCuts();
  readonly #calls: TaskCalls;
  #relay: Relay;
  #answers: Task[] = [];
  #cancellation: Cancellation | undefined;
  #conclusion: Conclusion | undefined;
  readonly #pace: Pace;
  /** Whether the last stream ended without a word, as that of a task may that has ended itself. */
  #isSilent = false;
  #askedAt = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#calls = new TaskCalls(parts.turn, parts.remote);
    const { settings, timers, reattachments } = parts;
    this.#pace = new Pace({ poll: settings.poll, timers, reattachments });
    this.#relay = this.#relayFrom(parts.turn.task ? "TASK_STATE_WORKING" : "TASK_STATE_SUBMITTED");
  }

  /** Hands the turn's message over, and tells what comes of it. What fails before anything came is thrown. */
  send(): Promise<void> {
    const { turn } = this.#parts;
    const before = turn.task?.status.state;
    // The turn before was left in the middle of its stream.
    if (before !== undefined && before !== "TASK_STATE_INPUT_REQUIRED") this.#relay.takeUp();
    return this.#followed(async () => {
      this.#calls.checkHops();
      await this.#sent(sendRequestOf(turn));
      await this.#toTheEnd();
    });
  }

  /** Goes on with the task as it is at the agent now. */
  resume(): Promise<void> {
    const { turn } = this.#parts;
    if (turn.task) this.#relay = this.#relayFrom(turn.task.status.state);
    return this.#followed(() => this.#toTheEnd());
  }

  /**
   * Asks the agent to end the task, as soon as it has a name there; what it answers comes with the events of the turn.
   * Throws what kept the agent from answering.
   */
  async cancel(metadata: JsonObject | undefined): Promise<void> {
    const { timers } = this.#parts;
    this.#cancellation ??= new Cancellation({
      metadata,
      timers,
      cancelTask: (request) => this.#calls.cancelTask(request, this.#cuts.beside()),
      answered: (task) => this.#answeredElsewhere(task),
      gone: () => this.stop(),
    });
    try {
      await this.#cancellation.ask(this.#relay.taskId);
    } catch (thrown) {
      // A stream may tell the end before the call is answered, and with the turn its calls end.
      if (!this.#cuts.isEnding) throw thrown;
    }
  }

  get isCanceling(): boolean {
    return this.#cancellation !== undefined;
  }

  /** Ends the turn here, not the task there. */
  stop(): void {
    this.#cancellation?.end();
    this.#cuts.end();
  }

  async #followed(follow: () => Promise<void>): Promise<void> {
    try {
      await follow();
    } catch (thrown) {
      throw inOwnIds(thrown, ownNamesOf(this.#parts.turn, this.#relay));
    }
  }

  #answeredElsewhere(task: Task | undefined): void {
    if (task !== undefined) this.#answers.push(task);
    this.#pace.hurry();
    this.#cuts.interrupt();
  }

  get #isOver(): boolean {
    const { told } = this.#relay;
    if (told === undefined) return this.#cuts.isEnding;
    return this.isCanceling ? isTerminal(told) : endsTurn(told);
  }

  #relayFrom(state: TaskState): Relay {
    const { turn, settings } = this.#parts;
    return new Relay(turn, { state, maxEvents: settings.maxEvents });
  }

  async #sent(request: SendMessageRequest): Promise<void> {
    const signal = this.#cuts.telling();
    try {
      const stream = await this.#calls.sendStreamingMessage(request, signal);
      if (stream !== undefined) return void (await this.#following(stream));
      const answer = await this.#calls.sendMessage(request, signal);
      const news =
        "task" in answer ? this.#relay.ofTask(modelOf(answer.task)) : this.#relay.of(answer);
      await this.#tell(news);
    } catch (thrown) {
      // The agent has answered a cancellation meanwhile.
      if (!signal.aborted || this.#cuts.isEnding) throw thrown;
    }
  }

  /** Until the agent has told the end: by streams while it has them, else by asking again and again. */
  async #toTheEnd(): Promise<void> {
    for (;;) {
      for (const task of this.#answers.splice(0)) await this.#tell(this.#relay.ofTask(task));
      if (this.#isOver || this.#cuts.isEnding) return;
      const id = this.#relay.taskId;
      if (id === undefined) throw this.#unbegun();
      if (this.#conclusion !== undefined) await this.#concluded(id, this.#conclusion);
      else await this.#attempted(id);
    }
  }

  async #attempted(id: string): Promise<void> {
    // A turn that has ended here meanwhile, after a cancellation, learns of it by saying something.
    const { outbox } = this.#parts;
    const { contextId } = this.#relay;
    if (this.isCanceling) await outbox.put([{ kind: "upstream", taskId: id, contextId }]);
    const signal = this.#cuts.telling();
    // An answer that came elsewhere is known without asking.
    if (this.#answers.length > 0) return;
    const leave = await this.#pace.next(signal);
    if (leave === undefined) return;
    try {
      if (!signal.aborted && this.#answers.length === 0) await this.#asked(id, signal, leave);
    } catch (thrown) {
      if (!signal.aborted && !isPassing(thrown)) throw lostOr(thrown);
      this.#pace.failed(thrown);
      this.#unreached(thrown);
    } finally {
      leave.end(false);
    }
  }

  async #asked(id: string, signal: Signal, leave: Leave): Promise<void> {
    const asking = { signal, isScout: leave.isScout };
    // While it is unclear what is here, and once the end is near, the agent's whole account is worth more.
    const asks = this.isCanceling || this.#relay.isMissing || this.#isSilent;
    this.#isSilent = false;
    const stream = asks ? undefined : await this.#calls.subscribeToTask(id, asking);
    this.#pace.begin(stream === undefined ? "question" : "stream");
    if (stream === undefined) return this.#looked(id, asking, leave);
    leave.end(true);
    this.#relay.takeUp();
    const how = await this.#following(stream);
    if (how === "cut" || !this.#pace.isFruitless) return;
    this.#isSilent = true;
    this.#pace.again();
  }

  async #looked(id: string, asking: Asking, leave?: Leave): Promise<void> {
    this.#askedAt = this.#parts.timers.now();
    const task = await this.#calls.getTask(id, asking);
    leave?.end(true);
    await this.#tell(this.#relay.ofTask(task));
  }

  /** To the end of a stream, of which a cut is one kind. */
  async #following({ first, rest }: OpenedStream): Promise<"end" | "cut"> {
    const leave = () => {
      // What is left ends by itself: the end of the turn, which may come before that, is not to cut it.
      this.#cuts.spare();
      void Promise.resolve(rest.return?.()).catch(() => undefined);
    };
    try {
      for (let step = first; step.done !== true; step = await rest.next()) {
        const isEnd = await this.#toldOf(step.value, leave);
        if (isEnd) break;
      }
      return "end";
    } catch (thrown) {
      if (!this.#cuts.isInterrupted && !isCut(thrown)) this.#conclusion = { kind: "fault", thrown };
      this.#unreached(thrown);
      return "cut";
    } finally {
      leave();
    }
  }

  /** Whether the events of a stream are its last ones. What comes before one that cannot be told counts. */
  async #toldOf(events: readonly ClientEvent[], leave: () => void): Promise<boolean> {
    const news: HandlerEvent[] = [];
    try {
      for (const event of events) {
        if (this.#endsWith(event, news)) {
          // Before it is told: the connection is free for the next call.
          leave();
          return true;
        }
        if (!this.#relay.isMissing) continue;
        await this.#tell(news.splice(0));
        await this.#caughtUp();
      }
      return false;
    } finally {
      await this.#tell(news);
    }
  }

  #endsWith({ response, isLast }: ClientEvent, news: HandlerEvent[]): boolean {
    if (this.#relay.endsEarly(response)) {
      this.#conclusion = { kind: "event", response };
      return true;
    }
    this.#relay.addNews(response, news);
    return this.#isOver || isLast;
  }

  /** The stream goes on somewhere in the middle: what it leaves out is asked for, now and then. */
  async #caughtUp(): Promise<void> {
    const { settings, timers } = this.#parts;
    const id = this.#relay.taskId;
    if (id === undefined || timers.now() - this.#askedAt < settings.poll.interval) return;
    try {
      await this.#looked(id, { signal: this.#cuts.toldNow() });
    } catch (thrown) {
      if (!isPassing(thrown) && !isUnknown(thrown)) throw thrown;
      this.#unreached(thrown);
    }
  }

  /** What ends the turn, unless the agent says now how its task has ended. */
  async #concluded(id: string, conclusion: Conclusion): Promise<void> {
    for (let attempt = 1; attempt <= LAST_ATTEMPTS; attempt++) {
      const signal = this.#cuts.telling();
      try {
        await this.#looked(id, { signal });
        if (this.#isOver || conclusion.kind === "fault") break;
      } catch (thrown) {
        if (!isPassing(thrown)) break;
      }
      if (signal.aborted || attempt === LAST_ATTEMPTS) break;
      await this.#pace.after(attempt, signal);
    }
    this.#conclusion = undefined;
    if (this.#isOver || this.#cuts.isEnding || this.#answers.length > 0) return;
    if (conclusion.kind === "fault") throw conclusion.thrown;
    await this.#tell(this.#relay.of(conclusion.response));
  }

  async #tell(events: readonly HandlerEvent[]): Promise<void> {
    if (events.length > 0) this.#pace.news();
    // Nobody has to wait for the last ones to be read.
    if (this.#isOver) this.#parts.outbox.add(events);
    else await this.#parts.outbox.put(events);
    if (this.#cancellation) void this.#cancelLate(this.#cancellation);
  }

  async #cancelLate(cancellation: Cancellation): Promise<void> {
    const { log, turn } = this.#parts;
    try {
      await cancellation.ask(this.#relay.taskId);
    } catch (thrown) {
      log.warn({ err: thrown, agent: turn.agent, task: turn.taskId }, "agent failed to cancel");
    }
  }

  #unbegun(): unknown {
    if (this.#conclusion?.kind === "fault") return this.#conclusion.thrown;
    return new A2AError("INVALID_AGENT_RESPONSE", "the agent's answer ended before it began");
  }

  #unreached(thrown: unknown): void {
    const { log, turn } = this.#parts;
    if (!this.#cuts.isInterrupted)
      log.debug({ err: thrown, agent: turn.agent, task: turn.taskId }, "agent not reached");
  }
}
