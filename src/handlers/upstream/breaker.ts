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

  constructor(settings: BreakerSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Undefined while no call is let through: until the cool-down is over, and then while one call tries. */
  enter(): Permit | undefined {
    switch (this.state()) {
      case "open":
        return undefined;
      case "half-open":
        if (this.#isProbed) return undefined;
        this.#isProbed = true;
        return this.#permit();
      case "closed":
        return this.#permit();
    }
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
    let isTold = false;
    const once = (tell: () => void) => () => {
      if (isTold || era !== this.#era) return;
      isTold = true;
      tell();
    };
    return {
      succeed: once(() => this.#succeeded()),
      fail: once(() => this.#failed()),
      withdraw: once(() => (this.#isProbed = false)),
    };
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#openedAt !== undefined) this.#turn(undefined);
  }

  #failed(): void {
    this.#failures += 1;
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
