/** Which agents there are. They come and go while the gateway runs. */
import type { Agents } from "../core/ports/agent.ts";
import type { ServedAgent } from "./served-agent.ts";

/** The agents of one time; another object after each change. */
export interface Roster {
  /** In their order: those of the configuration first. */
  readonly agents: ReadonlyMap<string, ServedAgent>;
  /** The id of the agent that is served at the root, and to callers that name none. */
  readonly primary: string;
}

export class Registry implements Agents {
  #roster: Roster = { agents: new Map(), primary: "" };
  #all: readonly ServedAgent[] = [];

  get roster(): Roster {
    return this.#roster;
  }

  /** Calls that begin from now on find these agents; those under way keep theirs. */
  set roster(roster: Roster) {
    this.#roster = roster;
    this.#all = [...roster.agents.values()];
  }

  find(id: string | undefined): ServedAgent | undefined {
    return this.#roster.agents.get(id ?? this.#roster.primary);
  }

  all(): readonly ServedAgent[] {
    return this.#all;
  }
}
