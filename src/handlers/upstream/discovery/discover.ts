/** What there is to know of a remote agent: its card, and where and how it is called. */
import type { AgentCard } from "../../../protocol/agent-card.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import { configuredCard } from "./card-file.ts";
import { cardOf } from "./card-forms.ts";
import { findCard, type FindDeps } from "./find-card.ts";
import type { FoundCard } from "./found-card.ts";
import {
  interfacesOf,
  offerText,
  withoutRepetitions,
  type Pins,
  type UpstreamInterface,
} from "./interfaces.ts";

export interface Discovered {
  /** In the form of 1.0, with the interfaces as the agent names them; of several, the first one that was found. */
  readonly card: AgentCard;
  /** Those that can be called, at least one, in the order of the card: the agent's preference (spec 8.3.2). */
  readonly interfaces: readonly UpstreamInterface[];
  /** What it was read from: one card for each configured address that has one. */
  readonly cards: readonly FoundCard[];
}

/** Where the agent is: one of the three. */
export interface Whereabouts extends Pins {
  readonly url?: string;
  readonly urls?: readonly string[];
  readonly card?: string | JsonObject;
}

export interface DiscoverDeps extends FindDeps {
  /** What a relative path of a card starts from. */
  readonly baseDir: string;
}

/**
 * Fetches and reads the card. `known` are the cards that were found last: one that has not changed is not sent again,
 * and of an agent with several addresses, those that do not answer keep theirs. Throws an Error, for whoever looks after
 * the gateway, when there is no card or none of its interfaces can be called.
 */
export async function discover(
  where: Whereabouts,
  known: readonly FoundCard[],
  deps: DiscoverDeps,
): Promise<Discovered> {
  const { card } = where;
  if (card !== undefined) return discoveredOf([await configuredCard(card, deps)], where);
  const found = await Promise.allSettled(
    addressesOf(where).map((url) => findCard(url, knownAt(url, known), deps)),
  );
  if (!found.some(({ status }) => status === "fulfilled")) throw whatFailed(found);
  const cards = addressesOf(where).flatMap((url, index) => {
    const result = found[index];
    return (result?.status === "fulfilled" ? result.value : knownAt(url, known)) ?? [];
  });
  return discoveredOf(cards, where);
}

/** What cards say that were found before. Throws as `discover` does. */
export function discoveredOf(cards: readonly FoundCard[], pins: Pins): Discovered {
  const read = cards.map(({ json, url }) => ({ card: cardOf(json), url }));
  const [first] = read;
  if (first === undefined) throw new Error("no agent card");
  const interfaces = read.flatMap(({ card, url }) =>
    interfacesOf(card.supportedInterfaces, url, pins),
  );
  if (interfaces.length === 0) {
    const offered = offerText(read.flatMap(({ card }) => card.supportedInterfaces));
    throw new Error(
      `the agent's card offers no interface that can be called${pinText(pins)}: it offers ${offered}`,
    );
  }
  return { card: first.card, interfaces: withoutRepetitions(interfaces), cards };
}

export function addressesOf({ url, urls = [] }: Whereabouts): readonly string[] {
  return url === undefined ? urls : [url, ...urls];
}

function knownAt(url: string, known: readonly FoundCard[]): FoundCard | undefined {
  return known.find(({ base }) => base === url);
}

function whatFailed(results: readonly PromiseSettledResult<FoundCard>[]): Error {
  const reasons = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const [only] = reasons;
  if (reasons.length === 1 && only instanceof Error) return only;
  const texts = reasons.map((each) => (each instanceof Error ? each.message : String(each)));
  return new AggregateError(reasons, texts.join("; "));
}

function pinText({ binding, version }: Pins): string {
  const pinned = [binding, version].filter((each) => each !== undefined);
  return pinned.length === 0 ? "" : ` as ${pinned.join(" ")}`;
}
