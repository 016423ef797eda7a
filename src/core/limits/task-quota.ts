/** How much may be kept of one owner's tasks, over all agents. */
import { A2AError } from "../../protocol/errors.ts";
import { countedAs, type Usage } from "../ports/usage.ts";

export interface QuotaLimits {
  /** Tasks of an owner; undefined: without limit. */
  readonly tasks: number | undefined;
  /** Bytes of their texts and logs; undefined: without limit. */
  readonly bytes: number | undefined;
}

export function isLimited({ tasks, bytes }: QuotaLimits): boolean {
  return tasks !== undefined || bytes !== undefined;
}

/** A task that is on its way, and counts as if it were there. */
export interface Reservation {
  /** The task is in the store, or comes to nothing. Safe to call twice. */
  end(): void;
}

export class TaskQuota {
  readonly #limits: QuotaLimits;
  readonly #usage: Usage;
  readonly #reserved = new Map<string, number>();

  constructor(limits: QuotaLimits, usage: Usage) {
    this.#limits = limits;
    this.#usage = usage;
  }

  /** Throws RATE_LIMITED where there is no room for another task of that owner. */
  reserve(owner: string): Reservation {
    const counted = countedAs(owner);
    const { tasks, bytes } = this.#usage.of(counted);
    const reserved = this.#reserved.get(counted) ?? 0;
    const most = this.#limits.tasks;
    if (most !== undefined && tasks + reserved >= most) throw past("tasks", `${most} tasks`);
    const mostBytes = this.#limits.bytes;
    if (mostBytes !== undefined && bytes >= mostBytes)
      throw past("bytes", `${mostBytes} bytes of tasks`);
    this.#reserved.set(counted, reserved + 1);
    let hasEnded = false;
    return {
      end: () => {
        if (!hasEnded) this.#less(counted);
        hasEnded = true;
      },
    };
  }

  #less(owner: string): void {
    const left = (this.#reserved.get(owner) ?? 0) - 1;
    if (left > 0) this.#reserved.set(owner, left);
    else this.#reserved.delete(owner);
  }
}

/** Without a time to come back after, a program knows by the limit that to try again is of no use. */
function past(limit: keyof QuotaLimits, most: string): A2AError {
  const text = `${most} are kept for this caller, and no more`;
  return new A2AError("RATE_LIMITED", text, { metadata: { limit: `quota.${limit}` } });
}
