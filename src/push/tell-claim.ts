/** Tells a config what it was taken for. */
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Delivery, Outcome } from "../core/ports/push-store.ts";
import type { HeldClaim } from "./held-claim.ts";
import type { ReadNotice } from "./notice.ts";
import type { Sender } from "./sender.ts";
import type { PushSettings } from "./settings.ts";
import type { Tally } from "./tally.ts";

export interface TellParts {
  readonly read: ReadNotice;
  readonly sender: Sender;
  readonly settings: Pick<PushSettings, "timeout">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly tally: Tally;
}

export interface Told {
  /** What became of the last delivery; undefined when none was tried, or it was cut. */
  readonly last: Outcome | undefined;
  /** How long its try took, in milliseconds. */
  readonly lastTook: number;
}

/**
 * Sends the deliveries of a claim one after another and fills in their outcomes; the first that fails ends the claim.
 * Never throws.
 *
 * @param mayGoOn asked before each delivery, with the milliseconds since the first
 */
export async function tellClaim(
  held: HeldClaim,
  parts: TellParts,
  mayGoOn: (since: number) => boolean,
): Promise<Told> {
  const { settings, clock, tally } = parts;
  const { claim, outcomes, cut, until } = held;
  const startedAt = clock.now();
  let told: Told = { last: undefined, lastTook: 0 };
  for (const delivery of claim.deliveries) {
    const triedAt = clock.now();
    const isLate = triedAt + settings.timeout > until;
    if (cut.signal.aborted || isLate || !mayGoOn(triedAt - startedAt)) break;
    const last = await outcomeOf(held, delivery, parts);
    told = { last, lastTook: clock.now() - triedAt };
    if (last === undefined) break;
    outcomes.set(delivery.generation, last);
    tally.count(claim.config, delivery, last);
    if (last.kind !== "delivered") break;
  }
  return told;
}

/** Undefined when it was cut. What cannot be read or written is tried again like what cannot be sent. */
async function outcomeOf(
  { claim, cut }: HeldClaim,
  delivery: Delivery,
  { read, sender, log }: TellParts,
): Promise<Outcome | undefined> {
  const { signal } = cut;
  const { config } = claim;
  try {
    const notice = await read(claim, delivery.generation);
    if (signal.aborted) return undefined;
    if (notice === undefined) return { kind: "dead", problem: "the event is no longer there" };
    return await sender.send({ config, delivery, notice, signal });
  } catch (thrown) {
    const { taskId, agent } = config;
    log.warn({ err: thrown, agent, taskId }, "a delivery to a webhook cannot be made");
    return sender.failed(delivery, "the delivery cannot be made");
  }
}
