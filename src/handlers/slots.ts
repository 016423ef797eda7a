/** How many may run at a time, and how many more may wait for that. */
import { A2AError } from "../protocol/errors.ts";
import type { Signal } from "./cut.ts";

export class Slots {
  #free: number;
  readonly #maxQueue: number;
  /** In the order of their arrival: a Set keeps it, and lets one in the middle go. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number, maxQueue: number) {
    this.#free = count;
    this.#maxQueue = maxQueue;
  }

  /**
   * Resolves with true when there is a slot, which `release` must give back, and with false when the signal is aborted
   * first. Throws UNAVAILABLE when too many wait already.
   */
  async take(signal: Signal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (this.#waiting.size >= this.#maxQueue)
      throw new A2AError("UNAVAILABLE", "the agent is busy", { retryAfter: 1 });
    return this.#wait(signal);
  }

  /** The same where there is a slot at once; false where there is none. */
  takeNow(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else next();
  }

  #wait(signal: Signal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (got: boolean) => {
        this.#waiting.delete(onSlot);
        signal.removeEventListener("abort", onAbort);
        resolve(got);
      };
      const onSlot = () => settle(true);
      const onAbort = () => settle(false);
      this.#waiting.add(onSlot);
      signal.addEventListener("abort", onAbort);
    });
  }
}
