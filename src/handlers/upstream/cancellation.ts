/** Asks a remote agent to end a task: once, as soon as the task has a name there. */
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { CancelTaskRequest, Task } from "../../protocol/model.ts";
import { isUnknown } from "./failures.ts";
import type { Timers } from "./timers.ts";

export interface CancellationParts {
  readonly metadata: JsonObject | undefined;
  readonly timers: Timers;
  cancelTask(request: CancelTaskRequest): Promise<Task>;
  /** Told the task that the agent answered with; undefined: what has become of it is to be asked for. */
  answered(task: Task | undefined): void;
  /** Told when there is nothing to cancel. */
  gone(): void;
}

/** How long a task may take to get a name, without which it cannot be canceled. */
const NAME_MS = 60_000;

export class Cancellation {
  readonly #parts: CancellationParts;
  readonly #takeBack: () => void;
  #isAsked = false;

  constructor(parts: CancellationParts) {
    this.#parts = parts;
    this.#takeBack = parts.timers.after(NAME_MS, () => parts.gone());
  }

  /** Throws what kept the agent from answering. */
  async ask(id: string | undefined): Promise<void> {
    if (this.#isAsked || id === undefined) return;
    this.#isAsked = true;
    this.#takeBack();
    const { metadata, cancelTask, answered, gone } = this.#parts;
    try {
      answered(await cancelTask({ id, ...(metadata && { metadata }) }));
    } catch (thrown) {
      if (isUnknown(thrown)) return gone();
      // A stream may be silent about what has become of the task.
      answered(undefined);
      if (!A2AError.is(thrown) || thrown.reason !== "TASK_NOT_CANCELABLE") throw thrown;
    }
  }

  /** Nobody waits any more. */
  end(): void {
    this.#takeBack();
  }
}
