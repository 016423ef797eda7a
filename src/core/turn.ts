/** One turn of a task on its way: what its caller waits for, and what its handler sees. */
import type { A2AError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Message, Task } from "../protocol/model.ts";
import { deferred } from "./deferred.ts";
import type { Place } from "./limits/place.ts";
import type { NewPushConfig } from "./push-configs.ts";
import type { Turn, Upstream } from "./ports/handler.ts";
import type { StoredTask } from "./ports/task-store.ts";

/** What a caller hands over for one turn. `message` carries the ids of its task and context already. */
export interface TurnRequest {
  readonly message: Message;
  readonly contextGiven: boolean;
  readonly referencedTasks: readonly Task[];
  readonly referencedUpstreams: ReadonlyMap<string, Upstream>;
  readonly acceptedOutputModes: readonly string[];
  readonly blocking: boolean;
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[];
  readonly principal: Turn["principal"];
  /** Under which name its turns are counted. */
  readonly caller: string;
  readonly hops: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A webhook that came with the message. */
  readonly pushConfig: NewPushConfig | undefined;
}

/** How a turn ended for its caller: with a message and no task, or with the task in a terminal or interrupted state. */
export type TurnOutcome =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "task"; readonly stored: StoredTask };

/** What the caller of returnImmediately gets: the outcome if there is one, else the task as first committed. */
export type TurnStart =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "task"; readonly stored: StoredTask | undefined };

export class RunningTurn {
  readonly request: TurnRequest;
  /** Resolves with the first commit of the turn (`stored` where it held a snapshot), or as `outcome` does. */
  readonly start: Promise<TurnStart>;
  /** Resolves when the task is committed in a terminal or interrupted state; rejects when there is an error instead. */
  readonly outcome: Promise<TurnOutcome>;
  /** Whether the turn has changed its task yet. */
  opened = false;
  /** The task's generation when the handler was called; events of the turn itself are later. */
  begunAfter = Infinity;
  /** Whether it goes on with a task that lives elsewhere, and has no message of its own to hand over. */
  resumes = false;
  /** Whether it answers a message once more that was taken before a restart. */
  reruns = false;
  /** Whether somebody asked for the task to be canceled. */
  canceling = false;
  /** Whether its handler is not called yet, for want of a place. */
  waits = false;
  /** Its place among those who may run at a time; undefined where there is no limit. Given back when it is over. */
  place: Place | undefined;
  /** Nothing that its handler still says counts any more. */
  over = false;
  view: Turn | undefined;

  /** Made when somebody looks at it: most turns are over before anybody does. */
  #abort: AbortController | undefined;
  readonly #start = deferred<TurnStart>();
  readonly #outcome = deferred<TurnOutcome>();
  #timers: NodeJS.Timeout[] = [];

  constructor(request: TurnRequest, place: Place | undefined) {
    this.request = request;
    this.place = place;
    this.start = this.#start.promise;
    this.outcome = this.#outcome.promise;
    // Callers wait for one of the two, or for neither: a rejection that nobody waits for is no fault.
    this.start.catch(() => undefined);
    this.outcome.catch(() => undefined);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  abort(reason: A2AError): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** A timer that ends with the turn; 0 milliseconds, or a turn that is over, is no timer. */
  after(milliseconds: number, action: () => void): void {
    if (milliseconds > 0 && !this.over) this.#timers.push(setTimeout(action, milliseconds));
  }

  answer(message: Message): void {
    this.#start.resolve({ kind: "message", message });
    this.#outcome.resolve({ kind: "message", message });
  }

  started(stored: StoredTask | undefined): void {
    this.#start.resolve({ kind: "task", stored });
  }

  settle(stored: StoredTask): void {
    this.#start.resolve({ kind: "task", stored });
    this.#outcome.resolve({ kind: "task", stored });
  }

  /** Another turn has taken its place: whoever waits for this one waits for that one. */
  replacedBy(turn: RunningTurn): void {
    turn.start.then(this.#start.resolve, this.#start.reject);
    turn.outcome.then(this.#outcome.resolve, this.#outcome.reject);
  }

  reject(error: A2AError): void {
    this.#start.reject(error);
    this.#outcome.reject(error);
  }

  /** From now on the handler is not listened to. */
  end(): void {
    this.over = true;
    this.place?.leave();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
