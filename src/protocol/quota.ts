/** What is left to a caller of one of its limits. */
export interface Quota {
  /** Which limit: what it is counted for. */
  readonly limit: "address" | "principal";
  /** How many calls may come at once. */
  readonly most: number;
  /** The seconds in which so many are earned, at least 1. */
  readonly window: number;
  /** How many of them are left. */
  readonly left: number;
  /** The seconds until there is one more, at least 1. */
  readonly next: number;
}

/** Counts a request from an address, and tells what is left to it. Throws RATE_LIMITED for one too many. */
export type CountRequest = (address: string, tell: (quota: Quota) => void) => void;
