/** From a SendMessageRequest to a running turn: of a new task, of the one that it names, or of the one that it repeats. */
import { A2AError } from "../protocol/errors.ts";
import type { SendMessageRequest, Task } from "../protocol/model.ts";
import { modelOf } from "../protocol/ready-made.ts";
import type { Call } from "../protocol/service.ts";
import { isTerminal } from "../protocol/states.ts";
import { endedError } from "./ended-error.ts";
import type { Execution } from "./execution.ts";
import type { LiveTasks } from "./live-tasks.ts";
import type { Agent, Clock, SentMessage, StoredTask, TaskStore } from "./ports.ts";
import { checkSame, RepeatedSends, sendKeyOf, sentMessageOf } from "./repeated-sends.ts";
import { checkContext, turnRequestOf } from "./turn-request.ts";
import type { RunningTurn } from "./turn.ts";
import { viewOf } from "./views.ts";

/** A turn on its way, new or already running, or a task that an earlier send of the same message has left. */
export type Sent<E> =
  | {
      readonly kind: "turn";
      readonly turn: RunningTurn;
      readonly execution: Execution;
      readonly isNew: boolean;
      readonly events: E;
    }
  | { readonly kind: "known"; readonly stored: StoredTask; readonly events: E };

/** Called with the id of the task before its turn starts, so that the caller misses no event. */
type Follow<E> = (taskId: string) => E;

interface Started {
  readonly turn: RunningTurn;
  readonly execution: Execution;
}

const MAX_REFERENCED_TASKS = 100;

export class Sender {
  readonly #store: TaskStore;
  readonly #live: LiveTasks;
  readonly #clock: Clock;
  readonly #repeated = new RepeatedSends<Started | StoredTask>();

  constructor(parts: { store: TaskStore; live: LiveTasks; clock: Clock }) {
    this.#store = parts.store;
    this.#live = parts.live;
    this.#clock = parts.clock;
  }

  /**
   * Throws TASK_NOT_FOUND for a taskId that is not there, UNSUPPORTED_OPERATION for a task that has ended,
   * INVALID_PARAMS for another context than the task's (spec 3.4), UNAVAILABLE past the limit of running tasks.
   */
  send<E>(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
    follow: Follow<E>,
  ): Promise<Sent<E>> {
    if (agent.idempotencyWindowMs > 0) return this.#sendOnce(agent, request, call, follow);
    return this.#send(agent, request, call, follow, undefined);
  }

  async #send<E>(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
    follow: Follow<E>,
    sent: SentMessage | undefined,
  ): Promise<Sent<E>> {
    this.#live.checkRoom();
    const { message } = request;
    const referenced = message.referenceTaskIds
      ? await this.#referenced(agent, call, message.referenceTaskIds)
      : [];
    if (message.taskId) return this.#continue(agent, request, call, follow, referenced);
    const taskId = this.#clock.newId();
    const contextGiven = Boolean(message.contextId);
    const contextId = message.contextId || this.#clock.newId();
    const key = { id: taskId, agent: agent.id, owner: call.principal.id, contextId };
    const execution = this.#live.create(agent, key, sent);
    const ids = { taskId, contextId, contextGiven };
    const events = follow(taskId);
    const turn = execution.start(turnRequestOf(request, ids, referenced, agent, call));
    return { kind: "turn", turn, execution, isNew: true, events };
  }

  async #continue<E>(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
    follow: Follow<E>,
    referenced: readonly Task[],
  ): Promise<Sent<E>> {
    const taskId = request.message.taskId ?? "";
    const load = async (): Promise<StoredTask | undefined> =>
      this.#store.load(agent.id, call.principal.id, taskId);
    const stored = await load();
    if (!stored)
      throw new A2AError("TASK_NOT_FOUND", `no task ${taskId}`, { metadata: { taskId } });
    checkContext(request.message.contextId, stored.contextId);
    if (isTerminal(stored.status.state)) throw endedError(taskId, stored.status.state);
    const execution = await this.#live.open(agent, taskId, load);
    if (!execution)
      throw new A2AError("TASK_NOT_FOUND", `no task ${taskId}`, { metadata: { taskId } });
    if (execution.state && isTerminal(execution.state)) throw endedError(taskId, execution.state);
    const ids = { taskId, contextId: stored.contextId, contextGiven: true };
    const events = follow(taskId);
    const turn = execution.start(turnRequestOf(request, ids, referenced, agent, call));
    return { kind: "turn", turn, execution, isNew: false, events };
  }

  async #sendOnce<E>(
    agent: Agent,
    request: SendMessageRequest,
    call: Call,
    follow: Follow<E>,
  ): Promise<Sent<E>> {
    const { message } = request;
    const sent = sentMessageOf(message);
    const key = sendKeyOf(agent.id, call.principal.id, message);
    const first = this.#repeated.find(key, sent);
    if (first) return this.#attach(await first, follow);
    let result: Sent<E> | undefined;
    const started = this.#firstSend(agent, request, call, sent).then(async (known) => {
      if (known) return known;
      result = await this.#send(agent, request, call, follow, sent);
      return result.kind === "turn" ? result : result.stored;
    });
    this.#repeated.keep(key, sent, started);
    try {
      const outcome = await started;
      if (!("turn" in outcome)) {
        this.#repeated.forget(key);
        return this.#attach(outcome, follow);
      }
      void outcome.turn.outcome.catch(() => undefined).then(() => this.#repeated.forget(key));
    } catch (thrown) {
      this.#repeated.forget(key);
      throw thrown;
    }
    if (!result) throw new Error("a send that started has a result");
    return result;
  }

  /** The task that the message opened or continued within the window. */
  async #firstSend(
    agent: Agent,
    { message }: SendMessageRequest,
    call: Call,
    sent: SentMessage,
  ): Promise<StoredTask | undefined> {
    const owner = call.principal.id;
    if (message.taskId) {
      const stored = await this.#store.load(agent.id, owner, message.taskId);
      const task =
        stored && modelOf(viewOf(stored, { historyLength: undefined, artifacts: false }));
      const known = task?.history?.find(
        ({ messageId, role }) => messageId === message.messageId && role === message.role,
      );
      if (!known) return undefined;
      // The stored message carries the ids of its task and context whether or not they were sent.
      const { contextId = known.contextId } = message;
      checkSame(
        sentMessageOf(known).fingerprint,
        sentMessageOf({ ...message, ...(contextId !== undefined && { contextId }) }).fingerprint,
      );
      return stored;
    }
    const since = this.#clock.now() - agent.idempotencyWindowMs;
    const known = await this.#store.findSent(agent.id, owner, message.messageId, since);
    if (!known) return undefined;
    checkSame(known.fingerprint, sent.fingerprint);
    return this.#store.load(agent.id, owner, known.taskId);
  }

  /** A repeated send follows the turn that the first one started, as far as it still runs. */
  #attach<E>(first: Started | StoredTask, follow: Follow<E>): Sent<E> {
    if ("turn" in first) {
      const { turn, execution } = first;
      return { kind: "turn", turn, execution, isNew: false, events: follow(execution.key.id) };
    }
    const execution = this.#live.get(first.id);
    const turn = execution?.turn;
    const events = follow(first.id);
    if (execution && turn) return { kind: "turn", turn, execution, isNew: false, events };
    return { kind: "known", stored: first, events };
  }

  /** The referenced tasks that the caller may see; others are as if they were not there. */
  async #referenced(agent: Agent, call: Call, ids: readonly string[]): Promise<readonly Task[]> {
    const loads = ids
      .slice(0, MAX_REFERENCED_TASKS)
      .map((id) => this.#store.load(agent.id, call.principal.id, id));
    const tasks: Task[] = [];
    for (const stored of await Promise.all(loads)) {
      if (stored)
        tasks.push(modelOf(viewOf(stored, { historyLength: undefined, artifacts: true })));
    }
    return tasks;
  }
}
