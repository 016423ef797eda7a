/**
 * Takes what is due from the outbox, has it sent and writes down what became of it. Nothing is known here alone: after a
 * crash the outbox has everything that was not settled, and at worst it is sent once more.
 */
import { ChurningMap } from "../core/churning-map.ts";
import type { Claim, Outbox, PushConfigKey, SentCounts } from "../core/ports/push-store.ts";
import type { AddressGuard } from "./address-guard.ts";
import { Alarm, pauseAfter } from "./alarm.ts";
import { dueAtOf, holdClaim, nameOf, type HeldClaim, type Hold } from "./held-claim.ts";
import type { Place } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { Pace } from "./pace.ts";
import { Settlements } from "./settlements.ts";
import { placesPerHost, type PushSettings } from "./settings.ts";
import { Tally } from "./tally.ts";
import { tellClaim, type TellParts } from "./tell-claim.ts";

export interface DispatcherParts extends Omit<TellParts, "tally"> {
  readonly outbox: Outbox;
  readonly guard: Pick<AddressGuard, "machineOf">;
  readonly settings: Pick<PushSettings, "concurrency" | "timeout">;
}

/** Deliveries of one config that are taken at a time. */
const DELIVERIES = 32;
/** A claim holds for so many tries that run out of time. */
const TRIES = 3;
/** Configs that are held at a time, sent to, waiting or being settled, for each place to send from. */
const HELD_PER_PLACE = 4;
/** A try that takes longer is slow, in milliseconds. */
const SLOW_MS = 1000;
/** How long a claim keeps its place, with one delivery after another, while others wait, in milliseconds. */
const TURN_MS = 1000;
/** While claims wait for places, it is seen to them so often, in milliseconds. */
const WAITING_REST_MS = 100;
/** Between two questions to the outbox, so that under load each brings a lot, in milliseconds. */
const BREATH_MS = 2;
/** The outbox is asked at least so often, whatever it said is due next, in milliseconds. */
const LONGEST_REST_MS = 30_000;
/** After it had nothing to give, it is asked at most so often unless it calls, in milliseconds. */
const SHORTEST_REST_MS = 50;
/** While callers come first, the outbox is asked so often, in milliseconds. */
const PACED_REST_MS = 40;

/** Whether there was something to take, and may be more; or no room for it, or no time. */
type Taken = "none" | "some" | "more" | "full" | "paced";

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #alarm = new Alarm();
  readonly #settlerAlarm = new Alarm();
  readonly #lanes: Lanes;
  readonly #pace: Pace;
  readonly #settlements: Settlements;
  readonly #held = new ChurningMap<HeldClaim>();
  readonly #tally: Tally;
  readonly #telling: TellParts;
  /** Configs that were forgotten while a claim is on its way, which may still bring them. */
  #forgotten: Set<string> | undefined;
  #taking: Promise<unknown> = Promise.resolve();
  #working: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(parts: DispatcherParts) {
    const { outbox, settings, clock, log } = parts;
    this.#parts = parts;
    this.#tally = new Tally(log);
    this.#telling = { ...parts, tally: this.#tally };
    this.#lanes = new Lanes(settings.concurrency, placesPerHost(settings));
    this.#pace = new Pace({ now: () => clock.now() });
    this.#settlements = new Settlements({
      outbox,
      clock,
      log,
      alarm: this.#settlerAlarm,
      onSettled: (settled) => this.#release(settled),
    });
  }

  start(): void {
    this.#parts.outbox.onDue(() => {
      this.#pace.noteEvents();
      this.#alarm.wake();
    });
    this.#working = this.#work();
  }

  counts(): SentCounts {
    return this.#tally.counts();
  }

  /**
   * Cuts what is being sent to a config and resolves when nothing more is sent of what was taken so far. To be called
   * once the store no longer has the config, or has it with another address.
   */
  async forget(key: PushConfigKey): Promise<void> {
    const name = nameOf(key);
    this.#forgotten?.add(name);
    const held = this.#held.get(name);
    if (held !== undefined) this.#cut(held);
    await Promise.all([held?.ended.promise, this.#taking]);
  }

  /** Takes nothing more; what is being sent may take that long to end, in milliseconds, and is then cut. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#alarm.end();
    await this.#working;
    for (const held of this.#lanes.clear()) this.#cut(held);
    const timer = setTimeout(() => this.#cutAll(), graceMs);
    await Promise.all(this.#held.values().map(({ ended }) => ended.promise));
    clearTimeout(timer);
    this.#settlerAlarm.end();
    await this.#settlements.close();
  }

  async #work(): Promise<void> {
    let failures = 0;
    while (!this.#isStopping) {
      try {
        this.#alarm.reset();
        const taken = await this.#take();
        if (taken !== "more") await this.#rest(taken);
        failures = 0;
      } catch (thrown) {
        failures++;
        this.#parts.log.warn({ err: thrown }, "due webhooks not read");
        await this.#alarm.pause(pauseAfter(failures));
      }
    }
  }

  async #take(): Promise<Taken> {
    const { outbox, settings, clock } = this.#parts;
    const takenAt = clock.now();
    for (const held of this.#lanes.park(takenAt)) this.#letGo(held);
    const room = settings.concurrency * HELD_PER_PLACE - this.#held.size + this.#lanes.parked;
    if (room <= 0 || this.#settlements.isFailing) return "full";
    const allowed = this.#pace.allowed();
    if (allowed === 0) return "paced";
    // Each claim is of one delivery at least; what it has more is made up for by the next ones.
    const limit = Math.min(room, allowed);
    const until = takenAt + settings.timeout * TRIES;
    const taking = outbox.claim({ now: takenAt, until, limit, deliveries: DELIVERIES });
    const count = await this.#holdAll(taking, { takenAt, until });
    this.#sendNext();
    if (count === limit) return allowed < Infinity ? "paced" : "more";
    return count === 0 ? "none" : "some";
  }

  /** How many there were. */
  async #holdAll(taking: Promise<readonly Claim[]>, hold: Hold): Promise<number> {
    const forgotten = new Set<string>();
    this.#forgotten = forgotten;
    this.#taking = taking.catch(() => undefined);
    try {
      const claims = await taking;
      this.#noteTaken(claims, hold);
      for (const claim of claims) {
        const held = holdClaim(claim, hold, this.#parts.guard);
        if (this.#isStopping || forgotten.has(nameOf(held.key))) this.#settlements.add(held);
        else this.#hold(held);
      }
      return claims.length;
    } finally {
      this.#forgotten = undefined;
    }
  }

  #noteTaken(claims: readonly Claim[], { takenAt }: Hold): void {
    const [oldest] = claims;
    if (oldest === undefined) return;
    const deliveries = claims.reduce((count, claim) => count + claim.deliveries.length, 0);
    this.#pace.noteTaken(deliveries, dueAtOf(oldest) ?? takenAt);
  }

  #hold(held: HeldClaim): void {
    const name = nameOf(held.key);
    // Its claim before ran out while it was sent or settled: one after the other, the outbox has it again later.
    if (this.#held.get(name) !== undefined) return;
    this.#held.set(name, held);
    if (!this.#lanes.add(held)) this.#letGo(held);
  }

  async #rest(taken: Exclude<Taken, "more">): Promise<void> {
    await this.#alarm.pause(taken === "paced" ? PACED_REST_MS : BREATH_MS);
    if (taken === "paced") return;
    if (!this.#alarm.isRinging) await this.#alarm.sleep(await this.#restMs(taken));
  }

  async #restMs(taken: Exclude<Taken, "more" | "paced">): Promise<number> {
    if (taken === "full" || this.#lanes.waiting > 0) return WAITING_REST_MS;
    const { outbox, clock } = this.#parts;
    const dueAt = (await outbox.nextDueAt()) ?? Infinity;
    const shortest = taken === "none" ? SHORTEST_REST_MS : 0;
    return Math.max(shortest, Math.min(LONGEST_REST_MS, dueAt - clock.now()));
  }

  #sendNext(): void {
    for (let place = this.#lanes.next(); place; place = this.#lanes.next()) {
      place.held.isStarted = true;
      void this.#send(place);
    }
  }

  /** Never throws. */
  async #send(place: Place): Promise<void> {
    const { held } = place;
    // A claim that has run out ends at once: not within the call that starts the next one, and so on.
    await Promise.resolve();
    const { last, lastTook } = await tellClaim(held, this.#telling, (since) =>
      this.#mayGoOn(since),
    );
    this.#lanes.end(place, last?.kind, lastTook > SLOW_MS);
    this.#settle(held);
    this.#sendNext();
  }

  #mayGoOn(since: number): boolean {
    return !this.#isStopping && (since < TURN_MS || this.#lanes.waiting === 0);
  }

  #settle(held: HeldClaim): void {
    held.ended.resolve();
    this.#settlements.add(held);
  }

  /** Unsettled, it is due again when it runs out: until then it is in nobody's way. */
  #letGo(held: HeldClaim): void {
    held.ended.resolve();
    this.#held.delete(nameOf(held.key));
  }

  #release(settled: readonly HeldClaim[]): void {
    for (const held of settled) {
      const name = nameOf(held.key);
      if (this.#held.get(name) === held) this.#held.delete(name);
    }
    // They may have more that is due, and there is room for others.
    this.#alarm.wake();
  }

  #cutAll(): void {
    for (const held of this.#held.values()) this.#cut(held);
  }

  #cut(held: HeldClaim): void {
    if (held.cut.signal.aborted) return;
    held.cut.abort();
    if (!held.isStarted) this.#settle(held);
  }
}
