/** One agent of the fleet: its definition, and what serves it while it is enabled. */
import { ServedAgent, type CardParts } from "../agents/served-agent.ts";
import type { AgentConfig } from "../config/schema.ts";
import type { AgentView } from "../core/ports/agent-control.ts";
import type { AgentStore, KeptCard } from "../core/ports/agent-store.ts";
import { createHandler, type HandlerDeps } from "../handlers/index.ts";
import type { JsonObject } from "../protocol/json.ts";

/** What there is to know of an agent, whether or not it is enabled. */
export interface Definition {
  readonly id: string;
  readonly origin: AgentView["origin"];
  readonly config: AgentConfig;
  /** As it was written. */
  readonly written: JsonObject;
}

/** An agent that is served. Whoever opened it closes its handler. */
export interface Member extends Definition {
  readonly agent: ServedAgent;
}

export interface MemberParts {
  readonly deps: Omit<HandlerDeps, "cards">;
  readonly cards: CardParts;
  readonly store: AgentStore;
}

/** Why an agent cannot be served; the cause is what its handler threw. */
export class MemberError extends Error {
  readonly definition: Definition;

  constructor(definition: Definition, cause: unknown) {
    super(`agent ${definition.id} cannot be served`, { cause });
    this.definition = definition;
  }
}

/** Throws a MemberError. */
export async function openMember(
  definition: Definition,
  { deps, cards, store }: MemberParts,
): Promise<Member> {
  const { id, config } = definition;
  const last = config.handler.kind === "upstream" ? await store.cardsOf(id) : [];
  const keep = (found: readonly KeptCard[]): void => {
    store.keepCards(id, found).catch((err: unknown) => {
      deps.log.warn({ err, agent: id }, "the agent's card could not be kept");
    });
  };
  try {
    const handler = await createHandler(config.handler, { ...deps, cards: { last, keep } });
    return { ...definition, agent: new ServedAgent(id, config, handler, cards) };
  } catch (thrown) {
    throw new MemberError(definition, thrown);
  }
}
