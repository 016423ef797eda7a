/** The claims of a host that came while it had one standing. */
import type { HeldClaim } from "./held-claim.ts";
import type { Share, Standing } from "./shares.ts";

export interface Lane {
  readonly name: string;
  readonly standing: Standing;
  readonly waiting: Place[];
  running: number;
  /** How many may run: halved when one fails, one more when one is delivered. */
  limit: number;
  /** In line for a place, or stalled until a share has room again; undefined: neither. */
  turn: "inLine" | "stalled" | undefined;
  /** Whether what waits here is in nobody's way: until nothing waits any more. */
  isParked: boolean;
}

/** Where a claim waits, and what it takes up once it is sent. */
export interface Place {
  readonly held: HeldClaim;
  readonly lane: Lane;
  readonly shares: readonly Share[];
}

export function laneName(host: string, standing: Standing): string {
  return `${standing} ${host}`;
}

export function createLane(host: string, standing: Standing, limit: number): Lane {
  return {
    name: laneName(host, standing),
    standing,
    waiting: [],
    running: 0,
    limit,
    turn: undefined,
    isParked: false,
  };
}
