/** How often calls may come: a token of each bucket that counts them, or none of any. */
import type { Rate } from "../../core/ports/call-limits.ts";
import type { Quota } from "../../protocol/quota.ts";
import { Buckets, type Level } from "./buckets.ts";
import type { Refusals } from "./refusals.ts";
import type { Subject } from "./subjects.ts";

/** Somebody, and how often that one may. */
export interface Rated {
  readonly subject: Subject;
  readonly rate: Rate;
}

type Tell = (quota: Quota) => void;

export class Rates {
  readonly #refusals: Refusals;
  readonly #buckets = {
    address: new Buckets(),
    principal: new Buckets(),
    agent: new Buckets(),
  } satisfies Record<Subject["kind"], Buckets>;

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** How many buckets are remembered. */
  get size(): number {
    return Object.values(this.#buckets).reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Takes a token of everybody's, and tells what is left to the caller; what is left of an agent's, which others take
   * too, is nobody's business. Throws RATE_LIMITED for the first that has none, and takes none then.
   */
  take(all: readonly Rated[], tell: Tell): void {
    for (const { subject, rate } of all) {
      const wait = this.#buckets[subject.kind].waitFor(subject.key, rate);
      if (wait === 0) continue;
      tellOwn({ subject, rate }, { left: 0, nextMs: wait }, tell);
      throw this.#refusals.refusal({ subject, what: "rate", retryMs: wait });
    }
    for (const rated of all) {
      const { subject, rate } = rated;
      tellOwn(rated, this.#buckets[subject.kind].take(subject.key, rate), tell);
    }
  }
}

function tellOwn({ subject, rate }: Rated, { left, nextMs }: Level, tell: Tell): void {
  if (subject.kind === "agent") return;
  const { calls, period, burst } = rate;
  tell({
    limit: subject.kind,
    most: burst,
    window: secondsOf((burst * period) / calls),
    left,
    next: secondsOf(nextMs),
  });
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
