/** The doors of agents that have a port of their own. They outlive a change of their agent that leaves the port alone. */
import type { ListenerAddress } from "../agents/addresses.ts";
import type { OwnDoors } from "../doors.ts";

/** Ports by the ids of their agents. */
export type Ports = ReadonlyMap<string, number>;

export interface OwnPortsParts {
  openOwn(agent: string, port: number): Promise<OwnDoors>;
  /** Told of doors that do not close. */
  failed(agent: string, thrown: unknown): void;
}

interface Open {
  readonly port: number;
  readonly doors: OwnDoors;
}

/** How long the calls that doors are answering have when these close, in milliseconds. */
const GRACE_MS = 5_000;

export class OwnPorts {
  readonly #parts: OwnPortsParts;
  readonly #open = new Map<string, Open>();
  #isListening = false;

  constructor(parts: OwnPortsParts) {
    this.#parts = parts;
  }

  get addresses(): ReadonlyMap<string, ListenerAddress> {
    return new Map([...this.#open].map(([id, { doors }]) => [id, doors.address]));
  }

  /** Opens the ports of the start; what is wanted later is opened at once. Throws when one is not to be had. */
  async listen(ports: Ports): Promise<void> {
    this.#isListening = true;
    await this.prepare(ports);
  }

  /**
   * Opens those that are not open, and leaves the others alone: they are closed by `keepOnly`, once the change counts.
   * Throws, with those closed again that it opened, when one is not to be had.
   */
  async prepare(ports: Ports): Promise<void> {
    if (!this.#isListening) return;
    const before = new Map(this.#open);
    try {
      for (const [agent, port] of ports) {
        if (this.#open.get(agent)?.port === port) continue;
        const doors = await this.#parts.openOwn(agent, port);
        this.#open.set(agent, { port, doors });
        const replaced = before.get(agent);
        if (replaced) this.#replaced.push({ agent, ...replaced });
      }
    } catch (thrown) {
      await this.#revertTo(before);
      throw thrown;
    }
  }

  /** Doors at the ports before, of agents that have another one now. */
  #replaced: (Open & { readonly agent: string })[] = [];

  /** Closes the doors that nobody wants any more; calls under way have a while to end. */
  keepOnly(ports: Ports): void {
    for (const { agent, doors } of this.#replaced.splice(0)) this.#close(agent, doors);
    for (const [agent, { doors }] of this.#open) {
      if (ports.has(agent)) continue;
      this.#open.delete(agent);
      this.#close(agent, doors);
    }
  }

  #close(agent: string, doors: OwnDoors): void {
    doors.close(GRACE_MS).catch((thrown: unknown) => this.#parts.failed(agent, thrown));
  }

  async #revertTo(before: ReadonlyMap<string, Open>): Promise<void> {
    this.#replaced = [];
    for (const [agent, open] of [...this.#open]) {
      const known = before.get(agent);
      if (known === open) continue;
      if (known) this.#open.set(agent, known);
      else this.#open.delete(agent);
      await open.doors.close(0);
    }
  }
}
