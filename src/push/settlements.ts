/** Writes down what became of claims: everything that has come together while the last lot was written. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Outbox } from "../core/ports/push-store.ts";
import { pauseAfter, type Alarm } from "./alarm.ts";
import type { HeldClaim } from "./held-claim.ts";

/** What ends within so many milliseconds goes along: one transaction instead of many. */
const LINGER_MS = 5;

export interface SettlementParts {
  readonly outbox: Pick<Outbox, "settle">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** Ended when the gateway stops. */
  readonly alarm: Alarm;
  onSettled(settled: readonly HeldClaim[]): void;
}

export class Settlements {
  readonly #parts: SettlementParts;
  #open: HeldClaim[] = [];
  #writing: Promise<void> | undefined;
  #isStopping = false;
  #failures = 0;

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /** Whether the store did not take the last lot: it is no time to take on more. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  add(held: HeldClaim): void {
    this.#open.push(held);
    this.#writing ??= this.#writeAll();
  }

  /** Writes what is left; what the store does not take then is sent once more at a later start. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
  }

  /** What is added after its last look at what is open begins anew: nothing falls in between. */
  async #writeAll(): Promise<void> {
    try {
      while (this.#open.length > 0 && (await this.#goOn()));
    } finally {
      this.#writing = undefined;
    }
  }

  /** Writes what is open now, or waits for a better time; false when there is none to wait for. */
  async #goOn(): Promise<boolean> {
    await sleep(LINGER_MS);
    const lot = this.#open;
    this.#open = [];
    if (await this.#isWritten(lot)) {
      this.#parts.onSettled(lot);
      return true;
    }
    this.#open = [...lot, ...this.#open];
    if (this.#isStopping) return false;
    await this.#parts.alarm.pause(pauseAfter(this.#failures));
    return true;
  }

  async #isWritten(lot: readonly HeldClaim[]): Promise<boolean> {
    const { outbox, clock, log } = this.#parts;
    try {
      await outbox.settle(
        lot.map(({ key, outcomes }) => ({ key, outcomes })),
        clock.now(),
      );
      this.#failures = 0;
      return true;
    } catch (thrown) {
      this.#failures++;
      log.warn({ err: thrown, configs: lot.length }, "outcomes of webhooks not written");
      return false;
    }
  }
}
