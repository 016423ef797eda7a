/**
 * Which claims are sent now and which wait. Each host has a lane of its own, in turn with the others, with a limit and
 * with its shares of the places, so that those that hang do not hold the places of all.
 */
import { ChurningMap } from "../core/churning-map.ts";
import type { Outcome } from "../core/ports/push-store.ts";
import type { HeldClaim } from "./held-claim.ts";
import { createLane, laneName, type Lane, type Place } from "./lane.ts";
import { Line } from "./line.ts";
import { Memory } from "./memory.ts";
import { Shares, sharesOf, type Standing } from "./shares.ts";

/** Claims that are kept for slow hosts, a few kilobytes each. */
const MOST_PARKED = 2048;
/**
 * How long a claim that has no place is waited for before it is parked, and let go where there is no room to park it,
 * in milliseconds. What was let go comes back late, which hosts that answer must not suffer from.
 */
const PATIENCE_MS: Readonly<Record<Standing, { toPark: number; toLetGo: number }>> = {
  quick: { toPark: 1000, toLetGo: 1000 },
  new: { toPark: 0, toLetGo: 100 },
  slow: { toPark: 0, toLetGo: 0 },
};
/** Hosts whose standing is known. */
const REMEMBERED = 4096;

export class Lanes {
  readonly #places: number;
  readonly #mostOfHost: number;
  readonly #lanes = new ChurningMap<Lane>();
  readonly #line = new Line();
  readonly #shares: Shares;
  readonly #standings = new Memory<Standing>(REMEMBERED);
  #running = 0;
  #waiting = 0;
  #parked = 0;

  constructor(places: number, mostOfHost: number) {
    this.#places = places;
    this.#mostOfHost = mostOfHost;
    this.#shares = new Shares(places);
  }

  /** Claims that wait for a place, parked ones left out. */
  get waiting(): number {
    return this.#waiting - this.#parked;
  }

  get parked(): number {
    return this.#parked;
  }

  /** False where too much waits for slow hosts already: let it go. */
  add(held: HeldClaim): boolean {
    const lane = this.#laneOf(held.host, this.#standingOf(held.host));
    if (lane.isParked && this.#parked >= MOST_PARKED) return false;
    this.#put(held, lane);
    return true;
  }

  /** The next claim that has a place; `end` gives the place back. */
  next(): Place | undefined {
    while (this.#running < this.#places) {
      const lane = this.#line.next();
      if (lane === undefined) return undefined;
      const place = this.#firstOf(lane);
      const full = place && this.#shares.fullOf(place.shares);
      if (place === undefined) this.#dropIdle(lane);
      else if (full !== undefined) this.#line.stall(lane, full);
      else return this.#started(place);
    }
    return undefined;
  }

  /**
   * @param last what became of its last delivery; undefined: nothing was tried, or it was cut
   * @param isSlow whether its last try was none that ends quickly
   */
  end({ held, lane, shares }: Place, last: Outcome["kind"] | undefined, isSlow: boolean): void {
    lane.running--;
    this.#running--;
    this.#shares.give(shares);
    this.#line.resume(shares);
    if (last !== undefined) lane.limit = this.#limitAfter(lane.limit, last === "delivered");
    if (last !== undefined || isSlow) this.#learn(held.host, isSlow ? "slow" : "quick");
    this.#line.add(lane);
    this.#dropIdle(lane);
  }

  /**
   * Parks the lanes that have no place although there may be places: more would wait behind them. What is too much to
   * keep is taken out: let it go.
   *
   * @param now milliseconds since the epoch
   */
  park(now: number): HeldClaim[] {
    if (this.#waiting === this.#parked) return [];
    const tooMuch: HeldClaim[] = [];
    for (const lane of this.#lanes.values()) {
      const [first] = lane.waiting;
      const isHeldUp = lane.turn === "stalled" || lane.running >= lane.limit;
      if (first === undefined || lane.isParked || !isHeldUp) continue;
      const waited = now - first.held.takenAt;
      const { toPark, toLetGo } = PATIENCE_MS[lane.standing];
      const hasRoom = this.#parked + lane.waiting.length <= MOST_PARKED;
      if (waited < (hasRoom ? toPark : toLetGo)) continue;
      if (hasRoom) this.#park(lane);
      else tooMuch.push(...this.#emptied(lane));
    }
    return tooMuch;
  }

  /** Takes out everything that waits. */
  clear(): HeldClaim[] {
    return this.#lanes.values().flatMap((lane) => this.#emptied(lane));
  }

  #park(lane: Lane): void {
    lane.isParked = true;
    this.#parked += lane.waiting.length;
  }

  #put(held: HeldClaim, lane: Lane): void {
    lane.waiting.push({ held, lane, shares: sharesOf(held, lane.standing) });
    this.#waiting++;
    if (lane.isParked) this.#parked++;
    this.#line.add(lane);
  }

  /** What waits first; whoever was cut while it waited is out already. */
  #firstOf(lane: Lane): Place | undefined {
    while (lane.waiting[0]?.held.cut.signal.aborted) this.#removeFirst(lane);
    return lane.waiting[0];
  }

  #removeFirst(lane: Lane): void {
    lane.waiting.shift();
    this.#waiting--;
    if (lane.isParked) this.#parked--;
    if (lane.waiting.length === 0) lane.isParked = false;
  }

  #started(place: Place): Place {
    const { lane, shares } = place;
    this.#removeFirst(lane);
    this.#shares.take(shares);
    lane.running++;
    this.#running++;
    this.#line.add(lane);
    return place;
  }

  #limitAfter(limit: number, isDelivered: boolean): number {
    if (isDelivered) return Math.min(this.#mostOfHost, limit + 1);
    return Math.max(this.#leastOfHost(), Math.floor(limit / 2));
  }

  #leastOfHost(): number {
    return Math.ceil(this.#mostOfHost / 4);
  }

  /** What waits for the host goes where it belongs now. */
  #learn(host: string, standing: Standing): void {
    const before = this.#standingOf(host);
    if (before === standing) return;
    this.#standings.set(host, standing);
    const lane = this.#lanes.get(laneName(host, before));
    if (lane === undefined) return;
    for (const held of this.#emptied(lane)) this.#put(held, this.#laneOf(host, standing));
  }

  #standingOf(host: string): Standing {
    return this.#standings.get(host) ?? "new";
  }

  #emptied(lane: Lane): HeldClaim[] {
    const all: HeldClaim[] = [];
    for (let place = this.#firstOf(lane); place; place = this.#firstOf(lane)) {
      all.push(place.held);
      this.#removeFirst(lane);
    }
    this.#dropIdle(lane);
    return all;
  }

  #dropIdle(lane: Lane): void {
    const isIdle = lane.running === 0 && lane.waiting.length === 0;
    if (isIdle && this.#lanes.get(lane.name) === lane) this.#lanes.delete(lane.name);
  }

  #laneOf(host: string, standing: Standing): Lane {
    const known = this.#lanes.get(laneName(host, standing));
    if (known !== undefined) return known;
    const limit = standing === "slow" ? this.#leastOfHost() : this.#mostOfHost;
    const lane = createLane(host, standing, limit);
    this.#lanes.set(lane.name, lane);
    return lane;
  }
}
