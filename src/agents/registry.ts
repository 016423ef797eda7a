/** Which agents there are. */
import type { Agent, Agents, Handler } from "../core/ports.ts";
import { interfacesOf, type PublicAddress } from "./addresses.ts";
import { extendedCardOf, sourceCardOf } from "./card.ts";
import type { AgentSettings } from "./settings.ts";

export interface AgentsInput {
  /** In the order of the configuration. */
  readonly agents: readonly {
    readonly id: string;
    readonly settings: AgentSettings;
    readonly handler: Handler;
  }[];
  /** The id of one of them. */
  readonly primary: string;
  /** Asked when a card is made, which is after listening. */
  readonly address: () => PublicAddress;
}

/** The agents of a configuration. Their handlers stay with the caller, who closes them. */
export function agentsOf({ agents, primary, address }: AgentsInput): Agents {
  const known = new Map<string, Agent>();
  for (const { id, settings, handler } of agents)
    known.set(id, agentOf(id, settings, handler, address));
  const all = [...known.values()];
  return {
    find: (id) => known.get(id ?? primary),
    all: () => all,
  };
}

function agentOf(
  id: string,
  settings: AgentSettings,
  handler: Handler,
  address: () => PublicAddress,
): Agent {
  const card = sourceCardOf(id, settings);
  const { extendedCard } = settings;
  return {
    id,
    handler,
    card,
    extendedCard:
      extendedCard && (() => extendedCardOf(card, extendedCard, interfacesOf(id, address()))),
    onRestart: settings.onRestart,
    idempotencyWindowMs: settings.idempotencyWindow,
    forwardHeaders: settings.forwardHeaders,
    turnTimeoutMs: settings.turnTimeout,
    cancelGraceMs: settings.cancelGrace,
  };
}
