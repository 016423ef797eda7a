/** The settings under `push:` that the sending of webhooks depends on (docs/webhooks.md). */
import type { AddressRules } from "./address-guard.ts";

export interface PushSettings extends AddressRules {
  /** How often a delivery is tried before it is given up, at least 1. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Milliseconds that one try may take from the look-up of the address to the end of the answer. */
  readonly timeout: number;
  /** How many configs are told something at the same time. */
  readonly concurrency: number;
}

/** Waits between tries, in milliseconds. */
export interface Backoff {
  /** After the first try; each further one is three times as long. */
  readonly first: number;
  /** No wait is longer, unless the receiver asks for it. */
  readonly most: number;
  /** The longest wait that a receiver may ask for with Retry-After. */
  readonly retryAfter: number;
}

/** A host may have a quarter of the places: one that hangs leaves the rest to the others. */
export function placesPerHost({ concurrency }: Pick<PushSettings, "concurrency">): number {
  return Math.max(1, Math.floor(concurrency / 4));
}
