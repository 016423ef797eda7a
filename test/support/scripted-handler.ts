/** A handler whose events are decided by the test, one by one. */
import type { Handler, HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { JsonObject } from "../../src/protocol/json.ts";

type Script = (turn: Turn) => AsyncIterable<HandlerEvent>;

/** Answers every turn with the script that is set at the time, and keeps what it was told. */
export class ScriptedHandler implements Handler {
  readonly turns: Turn[] = [];
  readonly cancels: (JsonObject | undefined)[] = [];
  script: Script;

  constructor(script: Script) {
    this.script = script;
  }

  handle(turn: Turn): AsyncIterable<HandlerEvent> {
    this.turns.push(turn);
    return this.script(turn);
  }

  async cancel(_turn: Turn, metadata: JsonObject | undefined): Promise<void> {
    this.cancels.push(metadata);
  }
}

/** A script that yields those events and ends. */
export function says(...events: readonly HandlerEvent[]): Script {
  return async function* () {
    yield* events;
  };
}

/** A script that yields those events and throws. */
export function throws(error: unknown, ...events: readonly HandlerEvent[]): Script {
  return async function* () {
    yield* events;
    throw error;
  };
}

/** A script that is fed from outside: `say` yields, `end` ends, `fail` throws. */
export class Puppet {
  readonly #waiting: ((step: Step) => void)[] = [];
  readonly #steps: Step[] = [];

  readonly script: Script = async function* (this: Puppet) {
    for (;;) {
      const step = await this.#next();
      if (step.kind === "end") return;
      if (step.kind === "fail") throw step.error;
      yield step.event;
    }
  }.bind(this);

  say(...events: readonly HandlerEvent[]): void {
    for (const event of events) this.#push({ kind: "say", event });
  }

  end(): void {
    this.#push({ kind: "end" });
  }

  fail(error: unknown): void {
    this.#push({ kind: "fail", error });
  }

  #push(step: Step): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(step);
    else this.#steps.push(step);
  }

  #next(): Promise<Step> {
    const step = this.#steps.shift();
    if (step) return Promise.resolve(step);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

type Step =
  | { readonly kind: "say"; readonly event: HandlerEvent }
  | { readonly kind: "end" }
  | { readonly kind: "fail"; readonly error: unknown };

export const working: HandlerEvent = { kind: "status", state: "TASK_STATE_WORKING" };
export const completed: HandlerEvent = { kind: "status", state: "TASK_STATE_COMPLETED" };
export const inputRequired: HandlerEvent = {
  kind: "status",
  state: "TASK_STATE_INPUT_REQUIRED",
  message: { parts: [{ text: "which one?" }] },
};
export const authRequired: HandlerEvent = { kind: "status", state: "TASK_STATE_AUTH_REQUIRED" };

export function artifact(text: string, artifactId?: string): HandlerEvent {
  return {
    kind: "artifact",
    artifact: { ...(artifactId && { artifactId }), parts: [{ text }] },
  };
}

export function chunk(text: string, artifactId: string, lastChunk = false): HandlerEvent {
  return { kind: "artifact", artifact: { artifactId, parts: [{ text }] }, append: true, lastChunk };
}

export function message(text: string): HandlerEvent {
  return { kind: "message", message: { parts: [{ text }] } };
}
