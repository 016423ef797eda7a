/** The text of each agent's card with what HTTP caches need to know of it. */
import { createHash } from "node:crypto";
import type { Agents } from "../core/ports.ts";
import { interfacesOf, type PublicAddress } from "./addresses.ts";
import { servedCardOf } from "./card.ts";

export interface ServedCard {
  readonly body: string;
  /** Strong: made from the text. */
  readonly etag: string;
  /** Whole seconds, since HTTP dates hold no more. */
  readonly lastModified: Date;
  /** Seconds. */
  readonly maxAge: number;
}

export interface ServedCardsInput {
  readonly agents: Agents;
  /** Asked when a card is first wanted, which is after listening. */
  readonly address: () => PublicAddress;
  /** When the configuration was read (milliseconds since the epoch). */
  readonly loadedAt: number;
  readonly maxAgeMs: number;
}

export interface ServedCards {
  /** The card of an agent, of the primary one for undefined; undefined when there is no such agent. */
  card(agent: string | undefined): ServedCard | undefined;
}

export function servedCardsOf(input: ServedCardsInput): ServedCards {
  const cards = new Map<string, ServedCard>();
  return {
    card(id) {
      const agent = input.agents.find(id);
      if (agent === undefined) return undefined;
      const known = cards.get(agent.id);
      if (known !== undefined) return known;
      const card = servedCardOf(agent.card, interfacesOf(agent.id, input.address()));
      const served = written(JSON.stringify(card), input);
      cards.set(agent.id, served);
      return served;
    },
  };
}

function written(body: string, { loadedAt, maxAgeMs }: ServedCardsInput): ServedCard {
  return {
    body,
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
    lastModified: new Date(Math.floor(loadedAt / 1000) * 1000),
    maxAge: Math.floor(maxAgeMs / 1000),
  };
}
