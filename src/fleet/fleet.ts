/**
 * The agents that are served, and how they change while the gateway runs. A change opens what it needs first, and is
 * dropped whole when that fails; then it counts for whoever calls; then what is no longer needed is closed, once its
 * turns have ended.
 */
import type { ListenerAddress } from "../agents/addresses.ts";
import type { Situation } from "../agents/interfaces.ts";
import type { Registry } from "../agents/registry.ts";
import type { Agent } from "../core/ports/agent.ts";
import type { Log } from "../core/ports/log.ts";
import { openMember, type Definition, type Member, type MemberParts } from "./member.ts";
import { OwnPorts, type OwnPortsParts, type Ports } from "./own-ports.ts";
import { Retirement } from "./retirement.ts";
import { stepsTo, type Roll } from "./roll.ts";

/** What the fleet asks of whoever runs the turns of its agents. */
export interface Turns {
  /** How many turns of the agent are under way. */
  loadOf(agent: Agent): number;
  /** Resolves once none is, of an agent that is served no longer. */
  endOf(agent: Agent): Promise<void>;
  /** Ends them; their tasks fail with that text. */
  endAll(agent: Agent, text: string): Promise<void>;
}

export interface FleetParts extends MemberParts, Pick<OwnPortsParts, "openOwn"> {
  readonly registry: Registry;
  readonly turns: Turns;
  readonly log: Log;
  /** Where the doors are that all agents share, as far as that is known before they are open. */
  readonly shared: ListenerAddress;
  /** Told after each change. Must not throw. */
  changed(): void;
}

const REMOVED = "the agent was removed from the gateway";

export class Fleet {
  readonly #parts: FleetParts;
  readonly #ports: OwnPorts;
  readonly #retirement: Retirement;
  #roll: Roll = { definitions: [], disabled: new Set(), primary: "" };
  #served: ReadonlyMap<string, Member> = new Map();
  #shared: ListenerAddress;
  #situation: Situation;

  constructor(parts: FleetParts) {
    const { log, turns, openOwn, shared } = parts;
    const failed = (agent: string, err: unknown): void =>
      log.error({ err, agent }, "own port does not close");
    this.#parts = parts;
    this.#ports = new OwnPorts({ openOwn, failed });
    this.#retirement = new Retirement({ log, endOf: (agent) => turns.endOf(agent) });
    this.#shared = shared;
    this.#situation = this.#situationNow();
  }

  get roll(): Roll {
    return this.#roll;
  }

  /** Where everything is; another object after each change. */
  get situation(): Situation {
    return this.#situation;
  }

  find(id: string): Definition | undefined {
    return this.#roll.definitions.find((each) => each.id === id);
  }

  /** Undefined for an agent that is disabled, or not there. */
  served(id: string): Member | undefined {
    return this.#served.get(id);
  }

  /** Opens the ports that agents have of their own; the others are open, at `shared`. Throws when one cannot be had. */
  async listen(shared: ListenerAddress): Promise<void> {
    this.#shared = shared;
    await this.#ports.listen(portsOf(this.#served));
    this.#settle();
  }

  /**
   * Serves the agents of a roll. Throws, nothing changed, a MemberError when one of them cannot be served, and the error
   * of a port that cannot be had.
   */
  async change(roll: Roll): Promise<void> {
    const { kept, toOpen, toClose } = stepsTo(roll, this.#served);
    const opened = await this.#openAll(toOpen);
    const served = inOrder(roll, [...kept, ...opened]);
    try {
      await this.#ports.prepare(portsOf(served));
    } catch (thrown) {
      await this.#closeAll(opened);
      throw thrown;
    }
    this.#roll = roll;
    this.#served = served;
    this.#ports.keepOnly(portsOf(served));
    this.#settle();
    for (const { id, agent } of toClose) {
      if (!this.find(id)) await this.#parts.turns.endAll(agent, REMOVED);
      this.#retirement.retire(agent);
    }
  }

  /** Closes every handler, whatever runs; their doors are closed by whoever opened them. */
  close(): Promise<void> {
    return this.#retirement.closeAll();
  }

  async #openAll(definitions: readonly Definition[]): Promise<readonly Member[]> {
    const opened: Member[] = [];
    try {
      for (const definition of definitions) {
        const member = await openMember(definition, this.#parts);
        this.#retirement.add(member.agent);
        opened.push(member);
      }
      return opened;
    } catch (thrown) {
      await this.#closeAll(opened);
      throw thrown;
    }
  }

  async #closeAll(members: readonly Member[]): Promise<void> {
    for (const { agent } of members) await this.#retirement.close(agent);
  }

  /** Everybody sees the agents and the addresses as they are now. */
  #settle(): void {
    this.#parts.registry.roster = {
      agents: new Map([...this.#served].map(([id, { agent }]) => [id, agent])),
      primary: this.#roll.primary,
    };
    this.#situation = this.#situationNow();
    this.#parts.changed();
  }

  #situationNow(): Situation {
    const { agents, primary } = this.#parts.registry.roster;
    const listening = { shared: this.#shared, own: this.#ports.addresses };
    return { listening, primary, agents };
  }
}

function portsOf(served: ReadonlyMap<string, Member>): Ports {
  return new Map(
    [...served].flatMap(
      ([
        id,
        {
          config: { port },
        },
      ]) => (port === undefined ? [] : [[id, port]]),
    ),
  );
}

function inOrder({ definitions }: Roll, members: readonly Member[]): ReadonlyMap<string, Member> {
  const byId = new Map(members.map((member) => [member.id, member]));
  return new Map(
    definitions.flatMap(({ id }) => {
      const member = byId.get(id);
      return member ? [[id, member]] : [];
    }),
  );
}
