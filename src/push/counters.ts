import type { Log } from "../core/ports/log.ts";
import type { Delivery, Outcome, PushConfig } from "../core/ports/push-store.ts";

/** What became of deliveries since the start. */
export interface PushCounters {
  /** Deliveries that a receiver has taken. */
  readonly delivered: number;
  /** Tries that failed and are made again. */
  readonly failed: number;
  /** Deliveries that were given up. */
  readonly dead: number;
  /** Receivers that said that they are gone for good. */
  readonly gone: number;
}

/** Counts outcomes, and logs those that are no success: never a URL or a secret. */
export class Tally {
  readonly #log: Log;
  readonly #counters = { delivered: 0, failed: 0, dead: 0, gone: 0 };

  constructor(log: Log) {
    this.#log = log;
  }

  counters(): PushCounters {
    return { ...this.#counters };
  }

  count(config: PushConfig, { generation }: Delivery, outcome: Outcome): void {
    if (outcome.kind === "delivered") {
      this.#counters.delivered++;
      return;
    }
    const { agent, taskId, id: configId } = config;
    const fields = { agent, taskId, configId, generation, problem: outcome.problem };
    switch (outcome.kind) {
      case "retry":
        this.#counters.failed++;
        return this.#log.debug(fields, "webhook not delivered, tried again later");
      case "dead":
        this.#counters.dead++;
        return this.#log.warn(fields, "webhook given up");
      case "gone":
        this.#counters.gone++;
        return this.#log.info(fields, "webhook is gone");
    }
  }
}
