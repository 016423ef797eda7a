/** How many streams are open: a slot for each with everybody who is counted, or with nobody. */
import type { StreamSlot } from "../../core/ports/call-limits.ts";
import type { Refusals } from "./refusals.ts";
import type { Subject } from "./subjects.ts";

/** Somebody, and how many streams that one may have. */
export interface Streaming {
  readonly subject: Subject;
  readonly most: number;
}

/** When streams end is not known: whoever is refused one may come back after this, in milliseconds. */
const RETRY = 5_000;

export class OpenStreams {
  readonly #refusals: Refusals;
  readonly #counts = new Map<string, number>();

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** How many have open streams. */
  get size(): number {
    return this.#counts.size;
  }

  /** Throws RATE_LIMITED for the first who has as many as it may. */
  enter(all: readonly Streaming[]): StreamSlot {
    for (const { subject, most } of all)
      if (this.#of(keyOf(subject)) >= most)
        throw this.#refusals.refusal({ subject, what: "streams", retryMs: RETRY });
    let keys = all.map(({ subject }) => keyOf(subject));
    for (const key of keys) this.#counts.set(key, this.#of(key) + 1);
    return {
      leave: () => {
        for (const key of keys) this.#closed(key);
        keys = [];
      },
    };
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #closed(key: string): void {
    const left = this.#of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

function keyOf({ kind, key }: Subject): string {
  return `${kind} ${key}`;
}
