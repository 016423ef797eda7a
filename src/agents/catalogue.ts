/** The catalogue: the cards of all agents behind a listener, as far as a search finds them, page by page. */
import { createHash } from "node:crypto";
import type { Agent, Agents } from "../core/ports/agent.ts";
import type { Reached } from "./addresses.ts";
import { matcherOf, type CatalogueFilter } from "./catalogue-filter.ts";
import type { ServedCards } from "./served-cards.ts";

export interface CatalogueRequest {
  readonly filter: CatalogueFilter;
  /** The most agents that the answer may hold. */
  readonly pageSize: number;
  /** The last agent of the page before, which may be gone since; undefined for the first page. */
  readonly after: string | undefined;
  /** The version that the caller names. */
  readonly version: string | undefined;
  /** Where the caller reached the gateway, if a card may say so. */
  readonly origin: string | undefined;
}

export interface ServedCatalogue {
  readonly body: string;
  /** Strong: no two bodies have the same. */
  readonly etag: string;
  /** Seconds. */
  readonly maxAge: number;
}

/** The catalogue behind one listener; where `sees` is given, only of the agents of which it says so. */
export type Catalogue = (
  request: CatalogueRequest,
  sees?: (agent: Agent) => boolean,
) => ServedCatalogue;

export interface CatalogueInput {
  readonly agents: Agents;
  /** Where the card of an agent is that is there. */
  readonly locationOf: (agent: string, reached: Reached) => { readonly cardUrl: string };
  readonly cardsAt: (owner: string | undefined) => ServedCards;
  /** Of the cards, and so of the catalogue. */
  readonly maxAgeMs: number;
}

/**
 * The catalogue at a listener: of all agents at the one that they share, for undefined; of the one agent at its own.
 * The texts of the cards are those that are served at their own addresses. Agents come in the order of their ids, so
 * that an agent that stays is neither skipped nor repeated when others come and go between two pages.
 */
export function cataloguesOf(input: CatalogueInput): (owner: string | undefined) => Catalogue {
  const allInOrder = inOrderOf(input.agents);
  const maxAge = Math.floor(input.maxAgeMs / 1000);
  return (owner) => {
    const entryOf = entriesAt(owner, input);
    return (request, sees) => {
      const { after, pageSize, filter } = request;
      const isFound = matcherOf(filter);
      const page: Entry[] = [];
      for (const agent of allInOrder()) {
        if (owner !== undefined && agent.id !== owner) continue;
        if (after !== undefined && agent.id <= after) continue;
        if (!isFound(agent.card) || sees?.(agent) === false) continue;
        const entry = entryOf(agent, request);
        if (entry !== undefined) page.push(entry);
        // One more than fits says that there is a further page.
        if (page.length > pageSize) break;
      }
      const shown = page.slice(0, pageSize);
      const next = page.length > pageSize ? shown.at(-1)?.id : undefined;
      return { ...written(shown, next), maxAge };
    };
  };
}

/** Sorts a list of agents once. */
function inOrderOf(agents: Agents): () => readonly Agent[] {
  let source: readonly Agent[] | undefined;
  let inOrder: readonly Agent[] = [];
  return () => {
    const all = agents.all();
    if (all === source) return inOrder;
    source = all;
    return (inOrder = all.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  };
}

/** An agent in the catalogue. */
interface Entry {
  readonly id: string;
  /** The JSON before the card, without the brace at its end. */
  readonly head: string;
  readonly card: { readonly body: string; readonly etag: string };
}

type EntryOf = (agent: Agent, request: CatalogueRequest) => Entry | undefined;

/** Undefined for an agent that has gone in the meantime. */
function entriesAt(owner: string | undefined, input: CatalogueInput): EntryOf {
  const { agents, locationOf } = input;
  const cards = input.cardsAt(owner);
  return ({ id }, { version, origin }) => {
    const card = cards.card({ agent: id, version, origin });
    if (card === undefined) return undefined;
    const { cardUrl } = locationOf(id, { origin, atOwn: owner !== undefined });
    const isPrimary = agents.find(undefined)?.id === id;
    return { id, head: JSON.stringify({ id, isPrimary, cardUrl }).slice(0, -1), card };
  };
}

/** Splices texts that are there; in the tag of the whole, a card's tag stands for its text. */
function written(page: readonly Entry[], next: string | undefined) {
  const entries = page.map(({ head, card }) => `${head},"card":${card.body}}`);
  const token = next === undefined ? "" : `,"nextPageToken":${JSON.stringify(next)}`;
  const hash = createHash("sha256").update(token);
  for (const { head, card } of page) hash.update(head).update(card.etag);
  return {
    body: `{"agents":[${entries.join(",")}]${token}}`,
    etag: `"${hash.digest("base64url").slice(0, 27)}"`,
  };
}
