/**
 * Whoever waits for an answer comes before whoever is told: while this process has no time left and new events come in,
 * deliveries are taken at a low rate, which grows as they get older. At other times nothing holds them up.
 */
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { steady } from "../steady-clock.ts";

/** Deliveries per second while callers need the time, before any is late. */
const SLOW_RATE = 400;
/** Each so many milliseconds that a delivery is late add as much again. */
const LATE_MS = 2_000;
/** Deliveries that may be taken together after a pause. */
const BURST = 64;
/** From this load on, callers feel every delivery. */
const FULL = 0.75;
/** How often the load is looked at, and how long after an event callers are taken to be there, in milliseconds. */
const LOOK_MS = 50;
const CALM_MS = 250;

export interface PaceParts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to 1: how much of the time that this process could have it took since it was last asked. */
  readonly load?: () => number;
}

export class Pace {
  readonly #now: () => number;
  readonly #load: () => number;
  #eventAt = -Infinity;
  #lookedAt = -Infinity;
  #isFull = false;
  #allowance = BURST;
  #allowedAt = -Infinity;
  /** How late the delivery was that was taken last, in milliseconds. */
  #late = 0;

  constructor({ now, load = loadOfProcess() }: PaceParts) {
    this.#now = steady(now);
    this.#load = load;
  }

  /** To be told of each commit of events that somebody is to be told of. */
  noteEvents(): void {
    this.#eventAt = this.#now();
  }

  /** How many deliveries may be taken now. */
  allowed(): number {
    const now = this.#now();
    if (!this.#isPressed(now)) return Infinity;
    const rate = (SLOW_RATE / 1000) * (1 + this.#late / LATE_MS);
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#allowedAt) * rate);
    this.#allowedAt = now;
    return Math.max(0, Math.floor(this.#allowance));
  }

  /** To be told of what is taken: how many deliveries, and since when the oldest is due. */
  noteTaken(deliveries: number, dueAt: number): void {
    this.#allowance = Math.max(-BURST, this.#allowance - deliveries);
    this.#late = Math.max(0, this.#now() - dueAt);
  }

  #isPressed(now: number): boolean {
    if (now - this.#eventAt > CALM_MS) return false;
    if (now - this.#lookedAt < LOOK_MS) return this.#isFull;
    this.#lookedAt = now;
    this.#isFull = this.#load() > FULL;
    return this.#isFull;
  }
}

/** Of the event loop, or of all cores that this process may use, whichever has less left. */
function loadOfProcess(): () => number {
  let loop = performance.eventLoopUtilization();
  let cpu = process.cpuUsage();
  let at = performance.now();
  return () => {
    const { utilization } = performance.eventLoopUtilization(loop);
    const { user, system } = process.cpuUsage(cpu);
    const cores = (user + system) / 1000 / (performance.now() - at);
    loop = performance.eventLoopUtilization();
    cpu = process.cpuUsage();
    at = performance.now();
    return Math.max(utilization, cores / availableParallelism());
  };
}
