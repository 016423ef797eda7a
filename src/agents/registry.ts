/** Which agents there are. */
import type { Agent, Agents, Handler } from "../core/ports.ts";
import type { AgentCard } from "../protocol/agent-card.ts";
import { extendedCardOf, sourceCardOf } from "./card.ts";
import { bodyOf } from "./forms.ts";
import type { LocationOf } from "./interfaces.ts";
import type { AgentSettings, ExtendedCardSettings } from "./settings.ts";
import { signaturesOf } from "./signing/signer.ts";
import type { SigningKey } from "./signing/signing-key.ts";

export interface AgentsInput {
  /** In the order of the configuration. */
  readonly agents: readonly {
    readonly id: string;
    readonly settings: AgentSettings;
    readonly handler: Handler;
  }[];
  /** The id of one of them. */
  readonly primary: string;
  readonly locationOf: LocationOf;
  /** What cards are signed with; none: they are not. */
  readonly keys: readonly SigningKey[];
}

/** The agents of a configuration. Their handlers stay with the caller, who closes them. */
export function agentsOf(input: AgentsInput): Agents {
  const known = new Map<string, Agent>();
  for (const { id, settings, handler } of input.agents)
    known.set(id, agentOf(id, settings, handler, input));
  const all = [...known.values()];
  return {
    find: (id) => known.get(id ?? input.primary),
    all: () => all,
  };
}

function agentOf(id: string, settings: AgentSettings, handler: Handler, input: AgentsInput): Agent {
  const card = sourceCardOf(id, settings);
  const { extendedCard } = settings;
  return {
    id,
    handler,
    card,
    extendedCard: extendedCard && onceMade(() => extendedCardAt(id, card, extendedCard, input)),
    onRestart: settings.onRestart,
    idempotencyWindowMs: settings.idempotencyWindow,
    forwardHeaders: settings.forwardHeaders,
    turnTimeoutMs: settings.turnTimeout,
    cancelGraceMs: settings.cancelGrace,
  };
}

/** It is one for all doors, so that it is signed for verifiers of every version. */
function extendedCardAt(
  id: string,
  source: AgentCard,
  extended: ExtendedCardSettings,
  { locationOf, keys }: AgentsInput,
): AgentCard {
  const { interfaces, keySetUrl } = locationOf(id);
  const card = extendedCardOf(source, extended, interfaces);
  if (keys.length === 0) return card;
  return { ...card, signatures: signaturesOf(bodyOf(card, "hybrid"), keys, keySetUrl) };
}

/** Nobody asks before the listeners are open, and after that addresses do not change. */
function onceMade(make: () => AgentCard): () => AgentCard {
  let made: AgentCard | undefined;
  return () => (made ??= make());
}
