/** What is kept of the agents themselves. Whoever implements the port keeps what it promises, or throws. */
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { JsonObject } from "../../protocol/json.ts";

/** An agent that was added while the gateway ran. */
export interface AddedAgent {
  readonly id: string;
  /** What would stand below the agent's id in a configuration file. It is checked again whenever it is read. */
  readonly definition: JsonObject;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A card as a remote agent sent it, with where and when. */
export interface KeptCard {
  /** The configured address that it was found with. */
  readonly base?: string;
  /** Where it was. */
  readonly url?: string;
  /** Parsed, otherwise untouched. */
  readonly json: unknown;
  readonly etag?: string;
  /** Milliseconds since the epoch: when the agent last said that this is its card. */
  readonly fetchedAt: number;
}

/** An agent as it is served now, wherever it was configured. */
export interface RecordedAgent {
  readonly id: string;
  /** With the interfaces at which callers reach it. */
  readonly card: AgentCard;
  /** Its own, beside the one that all agents share. */
  readonly port: number | undefined;
  readonly isPrimary: boolean;
}

export interface AgentStore {
  /** The agents that were added, in the order in which they were. */
  added(): Promise<readonly AddedAgent[]>;
  /** Keeps an agent; one of that id keeps its place and its time of creation, and gets the new definition. */
  add(id: string, definition: JsonObject): Promise<void>;
  /** Forgets an agent that was added, with everything that is kept of it; false when there is none of that id. */
  remove(id: string): Promise<boolean>;
  /** The ids of the agents, added or configured, that are switched off. */
  disabled(): Promise<ReadonlySet<string>>;
  /** Switches an agent of any origin on or off, whether or not it is known here. */
  setEnabled(id: string, isEnabled: boolean): Promise<void>;
  /** The cards that a remote agent was found with last, in their order; none when none were kept. */
  cardsOf(id: string): Promise<readonly KeptCard[]>;
  /** Keeps the cards of a remote agent in place of those before. */
  keepCards(id: string, cards: readonly KeptCard[]): Promise<void>;
  /** Writes down which agents are served, each with its card; what was written of others is dropped. */
  record(agents: readonly RecordedAgent[]): Promise<void>;
}
