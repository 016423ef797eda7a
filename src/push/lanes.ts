/**
 * Which claims are sent now and which wait. Each host has a lane of its own, in turn with the others and with a limit,
 * so that one that hangs does not hold the places of all.
 */
import { ChurningMap } from "../core/churning-map.ts";
import type { Outcome } from "../core/ports/push-store.ts";
import type { HeldClaim } from "./held-claim.ts";

interface Lane {
  readonly host: string;
  readonly waiting: HeldClaim[];
  running: number;
  /** How many may run: halved when one fails, one more when one is delivered. */
  limit: number;
  /** Whether it stands in line for a place. */
  isInLine: boolean;
  /** Whether what waits here has waited for too long, and is on nobody's way: until nothing waits any more. */
  isParked: boolean;
}

/** Claims that are kept for slow hosts, a few kilobytes each. */
const MOST_PARKED = 2048;

export class Lanes {
  readonly #places: number;
  readonly #mostOfHost: number;
  readonly #lanes = new ChurningMap<Lane>();
  readonly #line: Lane[] = [];
  #running = 0;
  #waiting = 0;
  #parked = 0;

  constructor(places: number, mostOfHost: number) {
    this.#places = places;
    this.#mostOfHost = mostOfHost;
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
    const lane = this.#laneOf(held.host);
    if (lane.isParked && this.#parked >= MOST_PARKED) return false;
    lane.waiting.push(held);
    this.#waiting++;
    if (lane.isParked) this.#parked++;
    this.#lineUp(lane);
    return true;
  }

  /** The next claim that has a place; `end` gives the place back. */
  next(): HeldClaim | undefined {
    while (this.#running < this.#places) {
      const lane = this.#line.shift();
      if (lane === undefined) return undefined;
      lane.isInLine = false;
      const held = this.#firstOf(lane);
      if (held === undefined) {
        this.#dropIdle(lane);
        continue;
      }
      lane.running++;
      this.#running++;
      this.#lineUp(lane);
      return held;
    }
    return undefined;
  }

  /** @param last what became of its last delivery; undefined: nothing was tried, or it was cut */
  end({ host }: HeldClaim, last: Outcome["kind"] | undefined): void {
    const lane = this.#laneOf(host);
    lane.running--;
    this.#running--;
    if (last !== undefined) lane.limit = this.#limitAfter(lane.limit, last === "delivered");
    this.#lineUp(lane);
    this.#dropIdle(lane);
  }

  /**
   * Parks the lanes whose first claim was taken before that instant and waits although there are places: their hosts
   * are slow, and others would wait behind them.
   */
  park(before: number): void {
    if (this.#waiting === this.#parked || this.#running >= this.#places) return;
    for (const lane of this.#lanes.values()) {
      const [first] = lane.waiting;
      if (lane.isParked || first === undefined || first.takenAt >= before) continue;
      lane.isParked = true;
      this.#parked += lane.waiting.length;
    }
  }

  /** Takes out everything that waits. */
  clear(): HeldClaim[] {
    const all: HeldClaim[] = [];
    for (const lane of this.#lanes.values())
      for (let held = this.#firstOf(lane); held; held = this.#firstOf(lane)) all.push(held);
    return all;
  }

  /** Whoever was cut while it waited is out already. */
  #firstOf(lane: Lane): HeldClaim | undefined {
    for (;;) {
      const held = lane.waiting.shift();
      if (held !== undefined) this.#waiting--;
      if (held !== undefined && lane.isParked) this.#parked--;
      if (lane.waiting.length === 0) lane.isParked = false;
      if (held === undefined || !held.cut.signal.aborted) return held;
    }
  }

  #limitAfter(limit: number, isDelivered: boolean): number {
    if (isDelivered) return Math.min(this.#mostOfHost, limit + 1);
    return Math.max(Math.ceil(this.#mostOfHost / 4), Math.floor(limit / 2));
  }

  #lineUp(lane: Lane): void {
    if (lane.isInLine || lane.waiting.length === 0 || lane.running >= lane.limit) return;
    lane.isInLine = true;
    this.#line.push(lane);
  }

  #dropIdle(lane: Lane): void {
    const isIdle = lane.running === 0 && lane.waiting.length === 0;
    if (isIdle && this.#lanes.get(lane.host) === lane) this.#lanes.delete(lane.host);
  }

  #laneOf(host: string): Lane {
    const known = this.#lanes.get(host);
    if (known !== undefined) return known;
    const lane: Lane = {
      host,
      waiting: [],
      running: 0,
      limit: this.#mostOfHost,
      isInLine: false,
      isParked: false,
    };
    this.#lanes.set(host, lane);
    return lane;
  }
}
