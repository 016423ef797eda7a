/** Handlers of agents that are served no longer, until their turns have ended; and of all others, until the gateway stops. */
import { setTimeout } from "node:timers/promises";
import type { Agent } from "../core/ports/agent.ts";
import type { Log } from "../core/ports/log.ts";

/** How long a handler may take to end what outlives its turns, in milliseconds. */
const CLOSE_MS = 5_000;

export interface RetirementParts {
  readonly log: Log;
  /** Resolves once no turn of the agent is under way. */
  endOf(agent: Agent): Promise<void>;
}

export class Retirement {
  readonly #parts: RetirementParts;
  readonly #open = new Set<Agent>();

  constructor(parts: RetirementParts) {
    this.#parts = parts;
  }

  /** Remembers an agent whose handler was opened. */
  add(agent: Agent): void {
    this.#open.add(agent);
  }

  /** Closes the agent's handler once its turns have ended. */
  retire(agent: Agent): void {
    this.#parts
      .endOf(agent)
      .then(() => this.close(agent))
      .catch((err: unknown) => this.#parts.log.error({ err, agent: agent.id }, "closing failed"));
  }

  /** Closes the agent's handler now, unless that was done. One that does not close holds up nobody. */
  async close(agent: Agent): Promise<void> {
    if (!this.#open.delete(agent)) return;
    const late = new AbortController();
    const waiting = setTimeout(CLOSE_MS, "late", { signal: late.signal, ref: false });
    const closing = Promise.resolve(agent.handler.close?.()).then(() => "closed");
    const how = await Promise.race([closing, waiting]).finally(() => late.abort());
    if (how === "late") this.#parts.log.warn({ agent: agent.id }, "handler does not close");
  }

  /** Closes every handler. Throws what one of them threw, once all are closed. */
  async closeAll(): Promise<void> {
    const results = await Promise.allSettled([...this.#open].map((agent) => this.close(agent)));
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}
