/** A running turn as its handler sees it. */
import type { JsonObject } from "../protocol/json.ts";
import type { Message, Task } from "../protocol/model.ts";
import { taskOf } from "./apply-event.ts";
import type { EventLog } from "./event-log.ts";
import type { Turn, Upstream } from "./ports/handler.ts";
import type { RunningTurn } from "./turn.ts";

/** A class for its getter: in an object literal it would give every turn a hidden class of its own. */
export class TurnView implements Turn {
  readonly agent: string;
  readonly taskId: string;
  readonly contextGiven: boolean;
  readonly task: Task | undefined;
  readonly referencedTasks: readonly Task[];
  readonly referencedUpstreams: ReadonlyMap<string, Upstream>;
  readonly acceptedOutputModes: readonly string[];
  readonly blocking: boolean;
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[];
  readonly principal: Turn["principal"];
  readonly hops: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #turn: RunningTurn;
  readonly #events: EventLog;

  constructor(turn: RunningTurn, events: EventLog) {
    const { request } = turn;
    const { key, live } = events;
    this.agent = key.agent;
    this.taskId = key.id;
    this.contextGiven = request.contextGiven;
    this.task = live && taskOf(live);
    this.referencedTasks = request.referencedTasks;
    this.referencedUpstreams = request.referencedUpstreams;
    this.acceptedOutputModes = request.acceptedOutputModes;
    this.blocking = request.blocking;
    this.metadata = request.metadata;
    this.extensions = request.extensions;
    this.principal = request.principal;
    this.hops = request.hops;
    this.headers = request.headers;
    this.#turn = turn;
    this.#events = events;
  }

  /** Another one than at first once the task has come into a remote context. */
  get contextId(): string {
    return this.#events.key.contextId;
  }

  get message(): Message {
    return inContext(this.#turn.request.message, this.contextId);
  }

  get upstream(): Upstream | undefined {
    return this.#events.upstream;
  }

  get signal(): AbortSignal {
    return this.#turn.signal;
  }
}

/** The message in the context that its task has come to be in. */
export function inContext(message: Message, contextId: string): Message {
  return message.contextId === contextId ? message : { ...message, contextId };
}
