/** A circuit breaker: what fails again and again is left alone for a while, then tried by one call. */

export type BreakerState = "closed" | "open" | "half-open";

export interface BreakerSettings {
  /** How many failures in a row open it. */
  readonly failures: number;
  /** Milliseconds until an open one lets a call through. */
  readonly cooldown: number;
}

/** The leave for one call, whose outcome is told once; what is told later is ignored. */
export interface Permit {
  succeed(): void;
  fail(): void;
  /** The call ended without saying anything of the other side, as when its caller went away. */
  withdraw(): void;
}

/** Time comes in with each question, in milliseconds. */
export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #now: () => number;
  #failures = 0;
  /** When it opened; undefined while it is closed. */
  #openedAt: number | undefined;
  #isProbed = false;
  /** Counts openings and closings: a call that began before one has no say after it. */
  #era = 0;
  /** Counts failures that count: calls that were under way together fail of one cause, and the first speaks for all. */
  #round = 0;

  constructor(settings: BreakerSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /**
   * Undefined while no call is let through: until the cool-down is over, for a scout at once; and then while one call
   * tries.
   */
  enter(isScout: boolean): Permit | undefined {
    const state = this.state();
    if (state === "closed") return this.#permit();
    if (this.#isProbed || (state === "open" && !isScout)) return undefined;
    this.#isProbed = true;
    return this.#permit();
  }

  /** Ends the cool-down: somebody else has found that it may work again. */
  ease(): void {
    if (this.#openedAt !== undefined) this.#openedAt = this.#now() - this.#settings.cooldown;
  }

  state(): BreakerState {
    if (this.#openedAt === undefined) return "closed";
    return this.#coolFor() > 0 ? "open" : "half-open";
  }

  /** How many milliseconds it takes until a call may be let through; 0: none. */
  retryAfter(): number {
    if (this.#openedAt === undefined) return 0;
    return this.#isProbed ? this.#settings.cooldown : this.#coolFor();
  }

  #coolFor(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(0, this.#openedAt + this.#settings.cooldown - this.#now());
  }

  #permit(): Permit {
    const era = this.#era;
    const round = this.#round;
    let isTold = false;
    const once = (tell: () => unknown) => () => {
      if (isTold || era !== this.#era) return;
      isTold = true;
      tell();
    };
    return {
      succeed: once(() => this.#succeeded()),
      fail: once(() => round === this.#round && this.#failed()),
      withdraw: once(() => (this.#isProbed = false)),
    };
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#openedAt !== undefined) this.#turn(undefined);
  }

  #failed(): void {
    this.#failures += 1;
    this.#round += 1;
    const isProbe = this.#openedAt !== undefined;
    if (isProbe || this.#failures >= this.#settings.failures) this.#turn(this.#now());
  }

  #turn(openedAt: number | undefined): void {
    this.#openedAt = openedAt;
    this.#isProbed = false;
    this.#failures = 0;
    this.#era += 1;
  }
}
