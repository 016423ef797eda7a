/** Who is in the fleet: agents in their order, enabled and disabled, and what is to be opened and closed between two of them. */
import type { Config } from "../config/config.ts";
import type { AgentStore } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";
import { definitionsOf, isSame } from "./change.ts";
import { keptDefinition } from "./definition.ts";
import type { Definition, Listed, Member } from "./member.ts";

export interface Roll {
  /** Those of the configuration first, in its order; then those that were added, in theirs. */
  readonly agents: readonly Listed[];
  readonly disabled: ReadonlySet<string>;
  /** The id of an agent of the configuration that is enabled. */
  readonly primary: string;
}

export interface RollParts {
  readonly config: Config;
  readonly store: AgentStore;
  readonly log: Log;
}

/** A configuration and what was added beside it, less the ids that the configuration has taken for itself since. */
export async function rollOf({ config, store, log }: RollParts): Promise<Roll> {
  const { primary } = config;
  const disabled = new Set(await store.disabled());
  if (disabled.delete(primary))
    log.warn({ agent: primary }, "the primary agent was disabled; it is served all the same");
  const added = (await store.added()).filter(({ id }) => {
    const isFree = !Object.hasOwn(config.agents, id);
    if (!isFree) log.warn({ agent: id }, "an added agent gives way to one of the configuration");
    return isFree;
  });
  const agents = [...definitionsOf(config), ...added.map(keptDefinition)];
  return { agents, disabled, primary };
}

export interface Steps {
  /** Agents that are served now and stay as they are. */
  readonly kept: readonly Member[];
  readonly toOpen: readonly Definition[];
}

/** What leads from the members that are served to those that a roll wants served. */
export function stepsTo({ agents, disabled }: Roll, served: ReadonlyMap<string, Member>): Steps {
  const kept: Member[] = [];
  const toOpen: Definition[] = [];
  for (const listed of agents) {
    if (listed.config === undefined || disabled.has(listed.id)) continue;
    const member = served.get(listed.id);
    if (member && isSame(member, listed)) kept.push(member);
    else toOpen.push(listed);
  }
  return { kept, toOpen };
}

/** Members in the order of their roll, by their ids. */
export function inOrder({ agents }: Roll, members: readonly Member[]): ReadonlyMap<string, Member> {
  const byId = new Map(members.map((member) => [member.id, member]));
  const ordered = new Map<string, Member>();
  for (const { id } of agents) {
    const member = byId.get(id);
    if (member) ordered.set(id, member);
  }
  return ordered;
}
