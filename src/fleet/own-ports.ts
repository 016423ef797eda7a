/**
 * The doors of agents that have a port of their own. They outlive a change of their agent that leaves the port alone, and
 * a port that goes from one agent to another is handed over, open all the time.
 */
import type { ListenerAddress } from "../agents/addresses.ts";
import { ConfigError } from "../config/errors.ts";
import { ListenError } from "../config/listen-at.ts";
import type { OwnDoors, OwnPort } from "../doors.ts";

/** Ports by the ids of their agents; 0 is any that is free. Of two agents at one port, the first one has it. */
export type Ports = ReadonlyMap<string, OwnPort>;

export type PortError = ListenError | ConfigError;

export interface OwnPortsParts {
  /** Throws a ListenError for a port that is not to be had, and a ConfigError for certificates that cannot be used. */
  openOwn(agent: string, own: OwnPort): Promise<OwnDoors>;
  /** Told of doors that do not close. */
  failed(agent: string, thrown: unknown): void;
}

interface Open {
  /** As it was asked for. */
  readonly own: OwnPort;
  readonly doors: OwnDoors;
}

/** What a change of ports comes to: either committed or dropped. */
export interface PortPlan {
  /** By the agents that will have them. */
  readonly open: ReadonlyMap<string, Open>;
  /** Those that are there for the plan alone. */
  readonly opened: readonly OwnDoors[];
  /** Why agents cannot have theirs, by their ids. */
  readonly failures: ReadonlyMap<string, PortError>;
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
   * those closed again that it opened, only what is no PortError.
   */
  async prepare(ports: Ports): Promise<PortPlan> {
    if (!this.#isListening) return NO_PORTS;
    const { wanted, taken } = claimsIn(ports);
    const failures = new Map<string, PortError>(taken);
    const known = this.#knownFor(wanted);
    const open = new Map<string, Open>();
    const opened: OwnDoors[] = [];
    for (const [agent, own] of wanted)
      try {
        const doors = known.get(agent) ?? (await this.#openNew(agent, own));
        if (!known.has(agent)) opened.push(doors);
        open.set(agent, { own, doors });
      } catch (thrown) {
        if (!ListenError.is(thrown) && !(thrown instanceof ConfigError)) {
          await closeAll(opened);
          throw thrown;
        }
        failures.set(agent, thrown);
      }
    return { open, opened, failures };
  }

  /** Doors that are open stay so until the change counts: their port is not free for others with another certificate. */
  async #openNew(agent: string, own: OwnPort): Promise<OwnDoors> {
    for (const { own: known, doors } of this.#open.values())
      if (doors.address.port === own.port && !isSameTls(known, own))
        throw new ListenError(
          `the tls of port ${own.port} changes only with the port, or at the next start`,
        );
    return this.#parts.openOwn(agent, own);
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
    const spare = new Map<number, Open>();
    for (const [agent, { own, doors }] of this.#open) {
      const now = wanted.get(agent);
      const isThere = now?.port === own.port || now?.port === doors.address.port;
      if (now && isThere && isSameTls(now, own)) known.set(agent, doors);
      else spare.set(doors.address.port, { own, doors });
    }
    for (const [agent, own] of wanted) {
      const free = spare.get(own.port);
      if (free && isSameTls(own, free.own) && !known.has(agent)) known.set(agent, free.doors);
    }
    return known;
  }
}

function claimsIn(ports: Ports): { wanted: Ports; taken: ReadonlyMap<string, ListenError> } {
  const owners = new Map<number, string>();
  const wanted = new Map<string, OwnPort>();
  const taken = new Map<string, ListenError>();
  for (const [agent, own] of ports) {
    const { port } = own;
    const owner = port === 0 ? undefined : owners.get(port);
    if (owner !== undefined) {
      taken.set(agent, new ListenError(`port ${port} is taken by agent ${owner}`));
      continue;
    }
    owners.set(port, agent);
    wanted.set(agent, own);
  }
  return { wanted, taken };
}

async function closeAll(opened: readonly OwnDoors[]): Promise<void> {
  for (const doors of opened) await doors.close(0);
}

function isSameTls(a: OwnPort, b: OwnPort): boolean {
  return JSON.stringify(a.tls) === JSON.stringify(b.tls);
}
