/**
 * How the places to send from are shared out. Receivers that answered at once the last time may have all of them; the
 * others, which may hang, have half together, so that those are never without a place. Among the others those that were
 * never tried keep an eighth, and neither a machine, whatever its names and ports, nor an owner has all of what there is.
 */
import { ChurningMap } from "../core/churning-map.ts";
import type { HeldClaim } from "./held-claim.ts";

/** What is known of a host: whether its last try ended quickly or not; it is new when there was none. */
export type Standing = "quick" | "new" | "slow";

/** A number of places that may be taken together. */
export interface Share {
  readonly name: string;
  /** The part of all places, at least one of them. */
  readonly part: number;
}

const DOUBTFUL: Share = { name: "doubtful", part: 1 / 2 };
const SLOW: Share = { name: "slow", part: 3 / 8 };

/** The shares that a claim takes one place of each. */
export function sharesOf({ claim, machine }: HeldClaim, standing: Standing): readonly Share[] {
  switch (standing) {
    case "quick":
      return [{ name: `quick ${machine}`, part: 1 / 2 }];
    case "new":
      return [DOUBTFUL, { name: `new ${machine}`, part: 3 / 8 }, ...ownerShares(claim.config)];
    case "slow":
      return [
        DOUBTFUL,
        SLOW,
        { name: `slow ${machine}`, part: 1 / 8 },
        ...ownerShares(claim.config),
      ];
  }
}

/** Where authentication is off, all callers are one owner. */
function ownerShares({ agent, owner }: HeldClaim["claim"]["config"]): readonly Share[] {
  return owner === "" ? [] : [{ name: `of ${agent} ${owner}`, part: 1 / 4 }];
}

/** Counts the places that are taken of shares. */
export class Shares {
  readonly #places: number;
  readonly #taken = new ChurningMap<number>();

  constructor(places: number) {
    this.#places = places;
  }

  /** The first of them of which no place is left. */
  fullOf(shares: readonly Share[]): Share | undefined {
    return shares.find(({ name, part }) => {
      const most = Math.max(1, Math.floor(this.#places * part));
      return (this.#taken.get(name) ?? 0) >= most;
    });
  }

  take(shares: readonly Share[]): void {
    for (const { name } of shares) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
  }

  give(shares: readonly Share[]): void {
    for (const { name } of shares) {
      const left = (this.#taken.get(name) ?? 0) - 1;
      if (left > 0) this.#taken.set(name, left);
      else this.#taken.delete(name);
    }
  }
}
