/** A task service whose operations a test writes itself, and which keeps the calls that it got. */
import { A2AError } from "../../src/protocol/errors.ts";
import {
  OPERATIONS,
  type A2AService,
  type Call,
  type OperationName,
  type StreamItem,
} from "../../src/protocol/service.ts";

export interface ReceivedCall {
  readonly operation: OperationName;
  readonly request: unknown;
  readonly call: Call;
}

export interface ScriptedService extends A2AService {
  readonly received: ReceivedCall[];
}

/** Operations without a script answer UNSUPPORTED_OPERATION. */
export function scriptedService(script: Partial<A2AService>): ScriptedService {
  const received: ReceivedCall[] = [];
  const service: Record<string, unknown> = { received };
  for (const operation of Object.keys(OPERATIONS) as OperationName[]) {
    const scripted = script[operation] as ((request: unknown, call: Call) => unknown) | undefined;
    service[operation] = (request: unknown, call: Call) => {
      received.push({ operation, request, call });
      if (scripted !== undefined) return scripted(request, call);
      const error = new A2AError("UNSUPPORTED_OPERATION", `no script for ${operation}`);
      return OPERATIONS[operation] === "unary"
        ? Promise.reject(error)
        : new ScriptedStream().end({ error });
    };
  }
  return service as unknown as ScriptedService;
}

/** A stream that a test feeds while it is read; a reader that leaves settles `returned`. */
export class ScriptedStream implements AsyncIterableIterator<StreamItem> {
  readonly returned: Promise<void>;
  /** How many items were asked for. */
  pulls = 0;
  #return: () => void = () => undefined;
  readonly #items: StreamItem[] = [];
  #end: { readonly error?: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    this.returned = new Promise((resolve) => {
      this.#return = resolve;
    });
  }

  push(...items: readonly StreamItem[]): this {
    this.#items.push(...items);
    this.#wake?.();
    return this;
  }

  end(end: { readonly error?: Error | undefined } = {}): this {
    this.#end = end;
    this.#wake?.();
    return this;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamItem>> {
    this.pulls++;
    for (;;) {
      const value = this.#items.shift();
      if (value !== undefined) return { value, done: false };
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return { value: undefined, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  return(): Promise<IteratorResult<StreamItem>> {
    this.#return();
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }
}

export function statusItem(generation: number, text = "ok"): StreamItem {
  return {
    generation,
    response: {
      statusUpdate: {
        taskId: "t1",
        contextId: "c1",
        status: {
          state: "TASK_STATE_WORKING",
          message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] },
        },
      },
    },
  };
}
