/** Keeps what the store knows of the served agents up to date. */
import { servedCardOf } from "../agents/card.ts";
import type { LocationOf } from "../agents/interfaces.ts";
import type { Registry } from "../agents/registry.ts";
import type { AgentStore, RecordedAgent } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";

export interface RecordParts {
  readonly registry: Registry;
  readonly locationOf: LocationOf;
  readonly store: AgentStore;
  readonly log: Log;
}

export class AgentRecord {
  readonly #parts: RecordParts;
  #writing: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** Writes down what is served, soon; what changes while that goes on is written after it. */
  renew(): void {
    if (this.#isClosed) return;
    this.#isStale = true;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Waits for what is being written, and writes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      // What comes in the same moment, such as the cards of all remote agents, is written once.
      await new Promise(setImmediate);
      this.#isStale = false;
      try {
        await this.#parts.store.record(this.#agents());
      } catch (err) {
        this.#parts.log.warn({ err }, "the served agents could not be recorded");
      }
    }
  }

  #agents(): readonly RecordedAgent[] {
    const { registry, locationOf } = this.#parts;
    const { agents, primary } = registry.roster;
    return [...agents.values()].map(({ id, card, settings }) => ({
      id,
      card: servedCardOf(card, locationOf(id).interfaces),
      port: settings.port,
      isPrimary: id === primary,
    }));
  }
}
