/** One agent of the fleet: its definition, and what serves it while it is enabled. */
import { ServedAgent, type CardParts } from "../agents/served-agent.ts";
import type { AgentConfig } from "../config/schema.ts";
import type { AgentView } from "../core/ports/agent-control.ts";
import type { AgentStore, KeptCard } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";
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

/** An agent that was added with a definition that could be used then, and cannot be read any more. */
export interface Unreadable {
  readonly id: string;
  readonly origin: "added";
  readonly config: undefined;
  /** As it was written. */
  readonly written: JsonObject;
  /** What is wrong with it. */
  readonly problem: string;
}

/** An agent that those who run the gateway see, whether or not it can be served. */
export type Listed = Definition | Unreadable;

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
  { deps: shared, cards, store }: MemberParts,
): Promise<Member> {
  const { id, config } = definition;
  const deps = { ...shared, log: withAgent(shared.log, id) };
  const last = config.handler.kind === "upstream" ? await store.cardsOf(id) : [];
  const keep = (found: readonly KeptCard[]): void => {
    store.keepCards(id, found).catch((err: unknown) => {
      deps.log.warn({ err }, "the agent's card could not be kept");
    });
  };
  try {
    const handler = await createHandler(config.handler, { ...deps, cards: { last, keep } });
    return { ...definition, agent: new ServedAgent(id, config, handler, cards) };
  } catch (thrown) {
    throw new MemberError(definition, thrown);
  }
}

/** Whatever is logged for an agent names it. */
function withAgent(log: Log, agent: string): Log {
  return {
    debug: (fields, message) => log.debug({ agent, ...fields }, message),
    info: (fields, message) => log.info({ agent, ...fields }, message),
    warn: (fields, message) => log.warn({ agent, ...fields }, message),
    error: (fields, message) => log.error({ agent, ...fields }, message),
  };
}
