/** From a SendMessageRequest to a running turn: of a new task, of the one that it names, or of the one that it repeats. */
import type { Message, SendMessageRequest } from "../protocol/model.ts";
import { modelOf } from "../protocol/ready-made.ts";
import type { Call } from "../protocol/service.ts";
import { isTerminal } from "../protocol/states.ts";
import type { Execution } from "./execution.ts";
import type { NewPushConfig } from "./push-configs.ts";
import type { Place } from "./limits/place.ts";
import type { LiveTasks } from "./live-tasks.ts";
import { callerOf, ownerOf } from "./owner.ts";
import type { Agent } from "./ports/agent.ts";
import type { Clock } from "./ports/clock.ts";
import type { SentMessage, StoredTask, TaskStore } from "./ports/task-store.ts";
import { checkSame, RepeatedSends, sendKeyOf, sentMessageOf } from "./repeated-sends.ts";
import { endedError, unknownTask } from "./task-errors.ts";
import { checkContext, NO_UPSTREAMS, turnRequestOf, type TurnOrigin } from "./turn-request.ts";
import type { RunningTurn } from "./turn.ts";
import { viewOf } from "./views.ts";
import { findVisible, loadVisible, type Viewer } from "./visible-tasks.ts";

export interface Send<E> {
  readonly agent: Agent;
  readonly request: SendMessageRequest;
  readonly call: Call;
  /** A webhook that came with the message. */
  readonly pushConfig: NewPushConfig | undefined;
  /** Called with the id of the task before its turn starts, so that the caller misses no event. */
  follow(taskId: string): E;
}

/** A send that may have a turn. */
interface Admitted<E> extends Send<E> {
  readonly references: References;
  readonly place: Place | undefined;
}

/** A turn on its way: the first of a task, a further one, or one that an earlier send of the same message started. */
export interface TurnSent<E> {
  readonly kind: "turn";
  readonly role: "first" | "further" | "repeat";
  readonly turn: RunningTurn;
  readonly execution: Execution;
  readonly events: E;
  /** The task before a further turn, as it was when the message came. */
  readonly before?: StoredTask;
}

/** A turn, or the task that an earlier send of the same message has left. */
export type Sent<E> =
  TurnSent<E> | { readonly kind: "known"; readonly stored: StoredTask; readonly events: E };

/** What a send leaves for its repetitions: the same without what is its caller's alone. */
type First =
  | { readonly kind: "turn"; readonly turn: RunningTurn; readonly execution: Execution }
  | { readonly kind: "known"; readonly stored: StoredTask };

/** The tasks that a message refers to. */
type References = Pick<TurnOrigin, "referenced" | "referencedUpstreams">;

const NO_REFERENCES: References = { referenced: [], referencedUpstreams: NO_UPSTREAMS };
const MAX_REFERENCED_TASKS = 100;
const HISTORY_ONLY = { historyLength: undefined, artifacts: false };
const WHOLE = { historyLength: undefined, artifacts: true };

export class Sender {
  readonly #store: TaskStore;
  readonly #live: LiveTasks;
  readonly #clock: Clock;
  readonly #repeated = new RepeatedSends<First>();

  constructor(parts: { store: TaskStore; live: LiveTasks; clock: Clock }) {
    this.#store = parts.store;
    this.#live = parts.live;
    this.#clock = parts.clock;
  }

  /**
   * Throws TASK_NOT_FOUND for a taskId that is not there, UNSUPPORTED_OPERATION for a task that has ended,
   * INVALID_PARAMS for another context than the task's (spec 3.4), UNAVAILABLE or RATE_LIMITED past the limits of what
   * may run and wait.
   */
  send<E>(send: Send<E>): Promise<Sent<E>> {
    return send.agent.idempotencyWindowMs > 0 ? this.#sendOnce(send) : this.#send(send, undefined);
  }

  /**
   * The task as a turn's first commit left it. Whoever joins the turn later is shown the task of later: the events since
   * that commit have not been for them.
   */
  async startedTask(
    { role, execution }: TurnSent<unknown>,
    stored: StoredTask | undefined,
    viewer: Viewer,
  ): Promise<StoredTask> {
    if (stored && role !== "repeat") return stored;
    return loadVisible(this.#store, viewer, execution.key.id);
  }

  async #send<E>(send: Send<E>, sent: SentMessage | undefined): Promise<Sent<E>> {
    const { agent, request, call } = send;
    this.#live.checkRoom();
    const { taskId, referenceTaskIds } = request.message;
    const references = referenceTaskIds
      ? await this.#referenced(agent, call, referenceTaskIds)
      : NO_REFERENCES;
    const place = this.#live.admit(agent, callerOf(call.principal));
    try {
      const input = { ...send, references, place };
      return taskId ? await this.#continue(input, taskId) : this.#begin(input, sent);
    } catch (thrown) {
      place?.leave();
      throw thrown;
    }
  }

  #begin<E>(input: Admitted<E>, sent: SentMessage | undefined): TurnSent<E> {
    const { agent, request, call, pushConfig, references, place, follow } = input;
    const { message } = request;
    const taskId = this.#clock.newId();
    const contextGiven = Boolean(message.contextId);
    const contextId = message.contextId || this.#clock.newId();
    const key = {
      id: taskId,
      agent: agent.id,
      owner: ownerOf(call.principal, agent.sharing),
      contextId,
    };
    const execution = this.#live.create(agent, key, sent);
    const ids = { taskId, contextId, contextGiven };
    const events = follow(taskId);
    const origin = { request, ids, ...references, agent, call, pushConfig };
    const turn = execution.start(turnRequestOf(origin), place);
    return { kind: "turn", role: "first", turn, execution, events };
  }

  async #continue<E>(input: Admitted<E>, taskId: string): Promise<TurnSent<E>> {
    const { agent, request, call, pushConfig, references, place, follow } = input;
    const find = () => findVisible(this.#store, input, taskId);
    const stored = await find();
    if (!stored) throw unknownTask(taskId);
    checkContext(request.message.contextId, stored.contextId);
    const opened = await this.#live.open(agent, taskId, find);
    switch (opened.kind) {
      case "unknown":
        throw unknownTask(taskId);
      case "ended":
        throw endedError(taskId, opened.stored.status.state);
      case "live": {
        const { execution } = opened;
        if (execution.state && isTerminal(execution.state)) {
          throw endedError(taskId, execution.state);
        }
        execution.checkRoom(place);
        const ids = { taskId, contextId: stored.contextId, contextGiven: true };
        const events = follow(taskId);
        const origin = { request, ids, ...references, agent, call, pushConfig };
        const turn = execution.start(turnRequestOf(origin), place);
        return { kind: "turn", role: "further", turn, execution, events, before: stored };
      }
    }
  }

  async #sendOnce<E>(send: Send<E>): Promise<Sent<E>> {
    const { agent, request, call, follow } = send;
    const { message } = request;
    const sent = sentMessageOf(message);
    const key = sendKeyOf(agent.id, ownerOf(call.principal, agent.sharing), message);
    const first = this.#repeated.find(key, sent);
    if (first) return this.#attach(await first, message, follow);
    const sending = this.#knownOrSent(send, sent);
    const over = sending.then(async (outcome) => {
      if (outcome.kind === "turn") await outcome.turn.outcome;
    });
    this.#repeated.keep(key, sent, sending, over);
    return sending;
  }

  /** The task that the message opened or continued within the window, else a turn of its own. */
  async #knownOrSent<E>(send: Send<E>, sent: SentMessage): Promise<Sent<E>> {
    const stored = await this.#known(send, sent);
    if (!stored) return this.#send(send, sent);
    return this.#attach({ kind: "known", stored }, send.request.message, send.follow);
  }

  async #known<E>(
    { agent, request: { message }, call }: Send<E>,
    sent: SentMessage,
  ): Promise<StoredTask | undefined> {
    const owner = ownerOf(call.principal, agent.sharing);
    if (message.taskId) {
      const stored = await this.#store.load(agent.id, owner, message.taskId);
      const known = stored && messageIn(stored, message);
      if (!known) return undefined;
      // The stored message carries the id of its context whether or not that was sent.
      const given = Object.assign({ contextId: known.contextId }, message);
      checkSame(sentMessageOf(known).fingerprint, sentMessageOf(given).fingerprint);
      return stored;
    }
    const since = this.#clock.now() - agent.idempotencyWindowMs;
    const known = await this.#store.findSent(agent.id, owner, message.messageId, since);
    if (!known) return undefined;
    checkSame(known.fingerprint, sent.fingerprint);
    return this.#store.load(agent.id, owner, known.taskId);
  }

  /** A repeated send follows the turn that the first one started, as long as that runs. */
  #attach<E>(first: First, message: Message, follow: (taskId: string) => E): Sent<E> {
    if (first.kind === "turn") {
      const { turn, execution } = first;
      return { kind: "turn", role: "repeat", turn, execution, events: follow(execution.key.id) };
    }
    const { stored } = first;
    const execution = this.#live.get(stored.id);
    const turn = execution?.turn;
    const events = follow(stored.id);
    if (execution && turn?.request.message.messageId === message.messageId) {
      return { kind: "turn", role: "repeat", turn, execution, events };
    }
    return { kind: "known", stored, events };
  }

  /** The referenced tasks that the caller may see; others are as if they were not there. */
  async #referenced(agent: Agent, call: Call, ids: readonly string[]): Promise<References> {
    const owner = ownerOf(call.principal, agent.sharing);
    const loads = ids
      .slice(0, MAX_REFERENCED_TASKS)
      .map((id) => this.#store.load(agent.id, owner, id));
    const found = await Promise.all(loads);
    const referenced = found.flatMap((stored) => (stored ? [modelOf(viewOf(stored, WHOLE))] : []));
    const referencedUpstreams = agent.handler.resume
      ? await this.#store.upstreamsOf(referenced.map(({ id }) => id))
      : NO_UPSTREAMS;
    return { referenced, referencedUpstreams };
  }
}

function messageIn(stored: StoredTask, { messageId, role }: Message): Message | undefined {
  const { history } = modelOf(viewOf(stored, HISTORY_ONLY));
  return history?.find((known) => known.messageId === messageId && known.role === role);
}
