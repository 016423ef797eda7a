/**
 * Slows down whoever guesses. Failures are counted for a name from an address, for the name from anywhere and for the
 * address whatever the name; past a number of them each further one closes the door for twice as long, up to a limit.
 * The limits of the latter two are short, and whoever has come in from an address under a name lately is kept out only
 * by failures of that very pair, so that a guesser keeps nobody else out for long.
 */
import { LRUCache } from "lru-cache";
import { A2AError } from "../protocol/errors.ts";
import { digestOf } from "./digest.ts";
import { networkOf } from "../network.ts";
import { steady } from "../steady-clock.ts";

interface Limit {
  /** Failures that have no effect. */
  readonly free: number;
  /** Milliseconds. */
  readonly most: number;
}

const PAIR: Limit = { free: 5, most: 60_000 };
const NAME: Limit = { free: 20, most: 30_000 };
const ADDRESS: Limit = { free: 50, most: 10_000 };

/** How long the door is closed at first, in milliseconds. */
const FIRST = 1_000;

/** Failures count for so long after the last one, in milliseconds. */
const REMEMBERED = 15 * 60_000;

/** For so long a login makes a name known at an address, in milliseconds. */
const KNOWN = 24 * 60 * 60_000;

/** Of each kind. With more, those that nobody has asked for longest are forgotten. */
const MAX_ENTRIES = 10_000;

interface Failures {
  readonly count: number;
  readonly at: number;
  readonly closedUntil: number;
}

/** Who tries, as far as it is known: a wrong API key has no name. */
export interface Attempt {
  readonly address: string;
  readonly name: string | undefined;
}

export class LoginGuard {
  readonly #now: () => number;
  readonly #pairs = new LRUCache<string, Failures>({ max: MAX_ENTRIES });
  readonly #names = new LRUCache<string, Failures>({ max: MAX_ENTRIES });
  readonly #addresses = new LRUCache<string, Failures>({ max: MAX_ENTRIES });
  /** When pairs last came in. */
  readonly #known = new LRUCache<string, number>({ max: MAX_ENTRIES });

  constructor(now: () => number) {
    this.#now = steady(now);
  }

  /** Throws RATE_LIMITED while the door is closed. To be asked before anything is compared: the answer must tell nothing. */
  check({ address, name }: Attempt): void {
    const network = networkOf(address);
    const now = this.#now();
    const since = name === undefined ? undefined : this.#known.get(pairOf(network, name));
    const isKnown = since !== undefined && now - since < KNOWN;
    const closedUntil = Math.max(
      name === undefined ? 0 : closingOf(this.#pairs, pairOf(network, name)),
      name === undefined || isKnown ? 0 : closingOf(this.#names, digestOf(name)),
      isKnown ? 0 : closingOf(this.#addresses, network),
    );
    if (closedUntil <= now) return;
    throw new A2AError("RATE_LIMITED", "too many failed logins", {
      retryAfter: (closedUntil - now) / 1000,
    });
  }

  failed({ address, name }: Attempt): void {
    const network = networkOf(address);
    this.#count(this.#addresses, network, ADDRESS);
    if (name === undefined) return;
    this.#count(this.#pairs, pairOf(network, name), PAIR);
    this.#count(this.#names, digestOf(name), NAME);
  }

  /** Failures of the address stay: a guesser may have a name of its own. */
  succeeded({ address, name }: { readonly address: string; readonly name: string }): void {
    const pair = pairOf(networkOf(address), name);
    this.#pairs.delete(pair);
    this.#known.set(pair, this.#now());
  }

  #count(kept: LRUCache<string, Failures>, key: string, { free, most }: Limit): void {
    const at = this.#now();
    const before = kept.get(key);
    const count = before === undefined || at - before.at > REMEMBERED ? 1 : before.count + 1;
    const closed = count <= free ? 0 : Math.min(most, FIRST * 2 ** (count - free - 1));
    kept.set(key, { count, at, closedUntil: at + closed });
  }
}

function closingOf(kept: LRUCache<string, Failures>, key: string): number {
  return kept.get(key)?.closedUntil ?? 0;
}

/** No address contains a space. A name is of one length here, however long somebody sends it. */
function pairOf(network: string, name: string): string {
  return `${network} ${digestOf(name)}`;
}
