/** What became of deliveries, counted and logged. */
import type { Log } from "../core/ports/log.ts";
import type { Delivery, Outcome, PushConfig, SentCounts } from "../core/ports/push-store.ts";

/** Counts outcomes, and logs those that are no success: never a URL or a secret. */
export class Tally {
  readonly #log: Log;
  readonly #counts = { delivered: 0, failed: 0, dead: 0, gone: 0 };

  constructor(log: Log) {
    this.#log = log;
  }

  counts(): SentCounts {
    return { ...this.#counts };
  }

  count(config: PushConfig, { generation }: Delivery, outcome: Outcome): void {
    if (outcome.kind === "delivered") {
      this.#counts.delivered++;
      return;
    }
    const { agent, taskId, id: configId } = config;
    const fields = { agent, taskId, configId, generation, problem: outcome.problem };
    switch (outcome.kind) {
      case "retry":
        this.#counts.failed++;
        return this.#log.debug(fields, "webhook not delivered, tried again later");
      case "dead":
        this.#counts.dead++;
        return this.#log.warn(fields, "webhook given up");
      case "gone":
        this.#counts.gone++;
        return this.#log.info(fields, "webhook is gone");
    }
  }
}
