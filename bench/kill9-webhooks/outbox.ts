/** What is still to be told, as the gateway's operations port says. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Counts {
  readonly due: number;
  readonly dead: number;
}

/** More than so many deliveries that are due: no task is begun. */
const MOST_DUE = 4000;
const POLL_MS = 200;

/** Asks all the time, until it is closed. */
export class Outbox {
  readonly #url: string;
  #counts: Counts | undefined;
  #isOpen = true;
  /** The most that were due at a time. */
  most = 0;

  constructor(ops: string) {
    this.#url = `${ops}/admin/deliveries/counts`;
    void this.#poll();
  }

  /** Undefined while the gateway is away. */
  get counts(): Counts | undefined {
    return this.#counts;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when not too much is due. */
  async room(): Promise<void> {
    while (this.#counts === undefined || this.#counts.due > MOST_DUE) await sleep(POLL_MS / 4);
  }

  /** Resolves with what is left when nothing is due any more, or nothing has changed for that long. */
  async drained(patienceMs: number): Promise<Counts> {
    let least = Infinity;
    let since = Date.now();
    for (;;) {
      const counts = await this.#ask();
      if (counts !== undefined) {
        if (counts.due === 0) return counts;
        if (counts.due < least) [least, since] = [counts.due, Date.now()];
        if (Date.now() - since > patienceMs) return counts;
      }
      await sleep(POLL_MS);
    }
  }

  async #poll(): Promise<void> {
    while (this.#isOpen) {
      this.#counts = await this.#ask();
      this.most = Math.max(this.most, this.#counts?.due ?? 0);
      await sleep(POLL_MS);
    }
  }

  async #ask(): Promise<Counts | undefined> {
    try {
      const answer = await fetch(this.#url);
      return answer.ok ? ((await answer.json()) as Counts) : undefined;
    } catch {
      return undefined;
    }
  }
}
