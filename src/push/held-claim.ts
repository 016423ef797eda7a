import { deferred, type Deferred } from "../core/deferred.ts";
import type { Claim, Outcome, PushConfigKey } from "../core/ports/push-store.ts";
import type { AddressGuard } from "./address-guard.ts";
import { parsedUrl } from "./parsed-url.ts";

/** A claim from the moment it was taken to the one when its outcomes are written down. */
export interface HeldClaim {
  readonly claim: Claim;
  readonly key: PushConfigKey;
  /** The host and port of the receiver. */
  readonly host: string;
  /** What stands for the receiver's machine, whatever its names and ports (see AddressGuard). */
  readonly machine: string;
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

/** When a claim was taken, and until when it holds, in milliseconds since the epoch. */
export type Hold = Pick<HeldClaim, "takenAt" | "until">;

export function holdClaim(
  claim: Claim,
  { takenAt, until }: Hold,
  { machineOf }: Pick<AddressGuard, "machineOf">,
): HeldClaim {
  const { taskId, id, url } = claim.config;
  const { host = "", hostname = "" } = parsedUrl(url) ?? {};
  return {
    claim,
    key: { taskId, id },
    host,
    machine: machineOf(hostname),
    takenAt,
    until,
    cut: new AbortController(),
    outcomes: new Map(),
    ended: deferred(),
    isStarted: false,
  };
}

/** Since when its first delivery is due, in milliseconds since the epoch; undefined where it was tried before. */
export function dueAtOf({ deliveries: [first] }: Claim): number | undefined {
  return first === undefined || first.attempts > 0 ? undefined : first.createdAt;
}

/** Ids of configs are unique within their task. */
export function nameOf({ taskId, id }: PushConfigKey): string {
  return `${taskId}/${id}`;
}
