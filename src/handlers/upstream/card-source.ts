/** Keeps what is known of a remote agent up to date. An agent that cannot be reached is asked again and again. */
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import {
  addressesOf,
  discover,
  discoveredOf,
  type DiscoverDeps,
  type Discovered,
  type Whereabouts,
} from "./discovery/discover.ts";
import type { FoundCard } from "./discovery/found-card.ts";
import type { SignatureCheck } from "./discovery/signature-check.ts";
import { backoffOf, type Timers } from "./timers.ts";

export interface CardSourceSettings extends Whereabouts {
  /** Milliseconds; 0: a card that was found is not asked for again. */
  readonly cardRefresh: number;
}

export interface CardSourceDeps extends Omit<DiscoverDeps, "signal" | "now"> {
  /** The cards that were found before this start, if any: the agent can be called before it has been asked. */
  readonly lastCards: readonly FoundCard[];
  /** Told of each card that differs from the one before, the first one included. Must not throw. */
  changed(discovered: Discovered): void;
  readonly timers: Timers;
  readonly log: Log;
}

/** How long to wait after the first failure, and at most, in milliseconds. */
const BACKOFF = { first: 1_000, most: 60_000 } as const;

export interface CardSourceStatus {
  /** Whether the agent can be called. */
  readonly isKnown: boolean;
  /** When the agent last said what its card is, in milliseconds since the epoch. */
  readonly fetchedAt: number | undefined;
  /** Why the last attempt failed, for whoever looks after the gateway. */
  readonly problem: string | undefined;
}

export class CardSource {
  readonly #settings: CardSourceSettings;
  readonly #deps: CardSourceDeps;
  readonly #closing = new AbortController();
  #discovered: Discovered | undefined;
  #failures = 0;
  #problem: string | undefined;
  #nextAt = 0;
  #cancelNext = () => {};
  #refreshing: Promise<void> | undefined;

  private constructor(settings: CardSourceSettings, deps: CardSourceDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Begins to ask. Whoever waits for `refresh` knows how the first attempt ended. */
  static open(settings: CardSourceSettings, deps: CardSourceDeps): CardSource {
    const source = new CardSource(settings, deps);
    const { lastCards, signatureCheck } = deps;
    if (signatureCheck === undefined) source.#startFrom(lastCards);
    else void source.#startFromTrusted(signatureCheck);
    void source.refresh();
    return source;
  }

  /** What is known. Throws UNAVAILABLE, with the time of the next attempt, as long as nothing is. */
  current(): Discovered {
    if (this.#discovered !== undefined) return this.#discovered;
    const wait = Math.ceil((this.#nextAt - this.#deps.timers.now()) / 1000);
    throw new A2AError("UNAVAILABLE", "the agent has not been reached yet", {
      retryAfter: Math.max(1, wait),
    });
  }

  status(): CardSourceStatus {
    const times = this.#discovered?.cards.map(({ fetchedAt }) => fetchedAt) ?? [];
    return {
      isKnown: this.#discovered !== undefined,
      fetchedAt: times.length === 0 ? undefined : Math.max(...times),
      problem: this.#problem,
    };
  }

  /** Asks now, unless somebody does already. Resolves when the attempt has ended, well or not. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  /** Asks no more, not even to the end. */
  close(): void {
    this.#closing.abort();
    this.#cancelNext();
  }

  /** What was trusted at the last start may not be any more. Never rejects. */
  async #startFromTrusted(check: SignatureCheck): Promise<void> {
    const { signal } = this.#closing;
    const trusted = await Promise.all(
      this.#deps.lastCards.map(async (card) => {
        return (await check(card, signal)) === undefined ? [card] : [];
      }),
    );
    if (this.#discovered === undefined && !signal.aborted) this.#startFrom(trusted.flat());
  }

  #startFrom(lastCards: readonly FoundCard[]): void {
    const known = new Set(addressesOf(this.#settings));
    const cards = lastCards.filter(({ base }) => base !== undefined && known.has(base));
    if (cards.length === 0) return;
    try {
      this.#accept(discoveredOf(cards, this.#settings));
    } catch (thrown) {
      this.#deps.log.warn({ err: thrown }, "the last known card of the agent is of no use");
    }
  }

  async #refresh(): Promise<void> {
    this.#cancelNext();
    const { timers, log, ...deps } = this.#deps;
    const { signal } = this.#closing;
    try {
      const found = { ...deps, signal, now: () => timers.now() };
      this.#accept(await discover(this.#settings, this.#discovered?.cards ?? [], found));
      if (this.#failures > 0) log.info({}, "the agent's card is there again");
      this.#failures = 0;
      this.#problem = undefined;
    } catch (thrown) {
      if (signal.aborted) return;
      this.#failures += 1;
      this.#problem = thrown instanceof Error ? thrown.message : String(thrown);
      if (this.#failures === 1) log.warn({ err: thrown }, "the agent's card cannot be had");
    }
    if (!signal.aborted) this.#askLater();
  }

  #askLater(): void {
    const { timers } = this.#deps;
    const wait = this.#waitFor(timers.random());
    if (wait === 0) return;
    this.#nextAt = timers.now() + wait;
    this.#cancelNext = timers.after(wait, () => void this.refresh());
  }

  /** 0: for ever. */
  #waitFor(random: number): number {
    const { cardRefresh, card } = this.#settings;
    if (this.#failures > 0) return backoffOf(this.#failures, BACKOFF, random);
    return typeof card === "object" ? 0 : cardRefresh;
  }

  /** The same card, found again, leaves everything as it is but its time. */
  #accept(discovered: Discovered): void {
    const before = this.#discovered;
    if (before === undefined || textOf(before) !== textOf(discovered)) {
      this.#discovered = discovered;
      this.#deps.changed(discovered);
      return;
    }
    this.#discovered = { ...before, cards: discovered.cards };
  }
}

function textOf({ cards }: Discovered): string {
  return JSON.stringify(cards.map(({ url, json }) => [url, json]));
}
