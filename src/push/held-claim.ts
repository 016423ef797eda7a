import { deferred, type Deferred } from "../core/deferred.ts";
import type { Claim, Outcome, PushConfigKey } from "../core/ports/push-store.ts";

/** A claim from the moment it was taken to the one when its outcomes are written down. */
export interface HeldClaim {
  readonly claim: Claim;
  readonly key: PushConfigKey;
  /** The host and port of the receiver. */
  readonly host: string;
  /** When it was taken, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** From then on it is somebody else's. */
  readonly until: number;
  readonly cut: AbortController;
  /** By generation; filled as deliveries end. */
  readonly outcomes: Map<number, Outcome>;
  /** Resolved when nothing more is sent for it. */
  readonly ended: Deferred<void>;
  isStarted: boolean;
}

export function holdClaim(claim: Claim, takenAt: number, until: number): HeldClaim {
  const { taskId, id, url } = claim.config;
  return {
    claim,
    key: { taskId, id },
    host: URL.canParse(url) ? new URL(url).host : "",
    takenAt,
    until,
    cut: new AbortController(),
    outcomes: new Map(),
    ended: deferred(),
    isStarted: false,
  };
}

/** Ids of configs are unique within their task. */
export function nameOf({ taskId, id }: PushConfigKey): string {
  return `${taskId}/${id}`;
}
