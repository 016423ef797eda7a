/** Keeps what the store knows of the served agents up to date. */
import { servedCardOf } from "../agents/card.ts";
import type { LocationOf } from "../agents/interfaces.ts";
import type { Registry } from "../agents/registry.ts";
import type { AgentStore, RecordedAgent } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";

export interface RecordParts {
  readonly registry: Registry;
  readonly locationOf: LocationOf;
  readonly store: Pick<AgentStore, "record">;
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
    this.#writing ??= this.#write();
  }

  /** Waits for what is being written, and writes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Never rejects. What is renewed after its last look at what is stale begins anew: nothing falls in between. */
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
    this.#writing = undefined;
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
