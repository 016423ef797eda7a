/**
 * The doors of agents that have a port of their own. They outlive a change of their agent that leaves the port alone, and
 * a port that goes from one agent to another is handed over, open all the time.
 */
import type { ListenerAddress } from "../agents/addresses.ts";
import { ListenError } from "../config/listen-at.ts";
import type { OwnDoors } from "../doors.ts";

/** Ports by the ids of their agents; 0 is any that is free. Of two agents at one port, the first one has it. */
export type Ports = ReadonlyMap<string, number>;

export interface OwnPortsParts {
  /** Throws a ListenError for a port that is not to be had. */
  openOwn(agent: string, port: number): Promise<OwnDoors>;
  /** Told of doors that do not close. */
  failed(agent: string, thrown: unknown): void;
}

interface Open {
  /** As it was asked for. */
  readonly port: number;
  readonly doors: OwnDoors;
}

/** What a change of ports comes to: either committed or dropped. */
export interface PortPlan {
  /** By the agents that will have them. */
  readonly open: ReadonlyMap<string, Open>;
  /** Those that are there for the plan alone. */
  readonly opened: readonly OwnDoors[];
  /** Why agents cannot have theirs, by their ids. */
  readonly failures: ReadonlyMap<string, ListenError>;
}

export const NO_PORTS: PortPlan = { open: new Map(), opened: [], failures: new Map() };

/** How long the calls that doors are answering have when these close, in milliseconds. */
const GRACE_MS = 5_000;

export class OwnPorts {
  readonly #parts: OwnPortsParts;
  #open: ReadonlyMap<string, Open> = new Map();
  #isListening = false;

  constructor(parts: OwnPortsParts) {
    this.#parts = parts;
  }

  get addresses(): ReadonlyMap<string, ListenerAddress> {
    return new Map([...this.#open].map(([id, { doors }]) => [id, doors.address]));
  }

  /** From now on plans open ports; before, none has any. */
  listen(): void {
    this.#isListening = true;
  }

  /**
   * Opens the ports that no agent has, and leaves everything else as it is until the plan is committed. Throws, with
   * those closed again that it opened, only what is no ListenError.
   */
  async prepare(ports: Ports): Promise<PortPlan> {
    if (!this.#isListening) return NO_PORTS;
    const { wanted, failures } = claimsIn(ports);
    const known = this.#knownFor(wanted);
    const open = new Map<string, Open>();
    const opened: OwnDoors[] = [];
    for (const [agent, port] of wanted)
      try {
        const doors = known.get(agent) ?? (await this.#parts.openOwn(agent, port));
        if (!known.has(agent)) opened.push(doors);
        open.set(agent, { port, doors });
      } catch (thrown) {
        if (!ListenError.is(thrown)) {
          await closeAll(opened);
          throw thrown;
        }
        failures.set(agent, thrown);
      }
    return { open, opened, failures };
  }

  /** The doors are those of the plan's agents; others close, and calls under way have a while to end. */
  commit({ open }: PortPlan): void {
    const kept = new Set([...open.values()].map(({ doors }) => doors));
    for (const [agent, { doors }] of this.#open) {
      if (kept.has(doors)) continue;
      doors.close(GRACE_MS).catch((thrown: unknown) => this.#parts.failed(agent, thrown));
    }
    for (const [agent, { doors }] of open) doors.handTo(agent);
    this.#open = open;
  }

  /** Closes what was opened for a plan that does not come to anything. */
  drop({ opened }: PortPlan): Promise<void> {
    return closeAll(opened);
  }

  /** Of the doors that are open, those that agents keep, and those that they take over from agents that give them up. */
  #knownFor(wanted: Ports): ReadonlyMap<string, OwnDoors> {
    const known = new Map<string, OwnDoors>();
    const spare = new Map<number, OwnDoors>();
    for (const [agent, { port, doors }] of this.#open) {
      const now = wanted.get(agent);
      if (now === port || now === doors.address.port) known.set(agent, doors);
      else spare.set(doors.address.port, doors);
    }
    for (const [agent, port] of wanted) {
      const doors = spare.get(port);
      if (doors && !known.has(agent)) known.set(agent, doors);
    }
    return known;
  }
}

function claimsIn(ports: Ports): { wanted: Ports; failures: Map<string, ListenError> } {
  const owners = new Map<number, string>();
  const wanted = new Map<string, number>();
  const failures = new Map<string, ListenError>();
  for (const [agent, port] of ports) {
    const owner = port === 0 ? undefined : owners.get(port);
    if (owner !== undefined) {
      failures.set(agent, new ListenError(`port ${port} is taken by agent ${owner}`));
      continue;
    }
    owners.set(port, agent);
    wanted.set(agent, port);
  }
  return { wanted, failures };
}

async function closeAll(opened: readonly OwnDoors[]): Promise<void> {
  for (const doors of opened) await doors.close(0);
}
