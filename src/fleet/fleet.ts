/**
 * The agents that are served, and how they change while the gateway runs. A change opens what it needs first, and is
 * dropped whole when that fails; then it is written down, where that is wanted; then it counts for whoever calls; then
 * what is no longer needed is closed, once its turns have ended.
 */
import type { ListenerAddress } from "../agents/addresses.ts";
import type { Situation } from "../agents/interfaces.ts";
import type { Registry } from "../agents/registry.ts";
import type { Agent } from "../core/ports/agent.ts";
import type { Log } from "../core/ports/log.ts";
import type { Listed, Member, MemberParts } from "./member.ts";
import { OwnPorts, type OwnPortsParts } from "./own-ports.ts";
import { Preparation, type Prepared } from "./preparation.ts";
import { Retirement } from "./retirement.ts";
import type { Roll } from "./roll.ts";
import { logNew, type Unserved } from "./unserved.ts";

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

export interface ChangeOptions {
  /** The id of the agent that the change is about. */
  readonly asked?: string;
  /** Writes the change down; it counts only when that has been done. */
  readonly keep?: () => Promise<unknown>;
}

const REMOVED = "the agent was removed from the gateway";

export class Fleet {
  readonly #parts: FleetParts;
  readonly #ports: OwnPorts;
  readonly #retirement: Retirement;
  readonly #preparation: Preparation;
  #roll: Roll = { agents: [], disabled: new Set(), primary: "" };
  #served: ReadonlyMap<string, Member> = new Map();
  #unserved: Unserved = new Map();
  #shared: ListenerAddress;
  #situation: Situation;

  constructor(parts: FleetParts) {
    const { log, turns, openOwn, shared } = parts;
    const failed = (agent: string, err: unknown): void =>
      log.error({ err, agent }, "own port does not close");
    this.#parts = parts;
    this.#ports = new OwnPorts({ openOwn, failed });
    this.#retirement = new Retirement({ log, endOf: (agent) => turns.endOf(agent) });
    this.#preparation = new Preparation(parts, this.#ports, this.#retirement);
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

  find(id: string): Listed | undefined {
    return this.#roll.agents.find((each) => each.id === id);
  }

  /** Undefined for an agent that is disabled, cannot be served, or is not there. */
  served(id: string): Member | undefined {
    return this.#served.get(id);
  }

  /** Why an agent that was added is not served, though it may be enabled; undefined where nothing is wrong. */
  problemOf(id: string): string | undefined {
    return this.#unserved.get(id)?.text;
  }

  /** Opens the ports that agents have of their own; the others are open, at `shared`. Throws as `change` does. */
  async listen(shared: ListenerAddress): Promise<void> {
    this.#shared = shared;
    this.#ports.listen();
    await this.change(this.#roll);
  }

  /**
   * Serves the agents of a roll; those that could not be served so far are tried again. Throws, nothing changed, when an
   * agent of the configuration, or the one that was asked for, cannot be served: a MemberError, or a ListenError for its
   * port. Others that were added are left out then, with a problem. Throws what `keep` throws, nothing changed either,
   * and UNAVAILABLE once the fleet is closed.
   */
  async change(roll: Roll, { asked, keep }: ChangeOptions = {}): Promise<void> {
    const prepared = await this.#preparation.prepare({ roll, served: this.#served, asked });
    try {
      await keep?.();
    } catch (thrown) {
      await this.#preparation.drop(prepared);
      throw thrown;
    }
    await this.#commit(prepared);
  }

  /** Closes every handler, whatever runs; their doors are closed by whoever opened them. */
  close(): Promise<void> {
    this.#preparation.end();
    return this.#retirement.closeAll();
  }

  async #commit({ roll, served, unserved, opened, plan }: Prepared): Promise<void> {
    const open = [...this.#served.values(), ...opened];
    logNew(this.#parts.log, this.#unserved, unserved);
    this.#roll = roll;
    this.#served = served;
    this.#unserved = unserved;
    this.#ports.commit(plan);
    this.#settle();
    for (const member of open) {
      const { id, agent } = member;
      if (served.get(id) === member) continue;
      if (!this.find(id)) await this.#parts.turns.endAll(agent, REMOVED);
      this.#retirement.retire(agent);
    }
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
