/** Checks the interfaces of a remote agent from time to time, so that calls go first to those that work. */
import type { Log } from "../../../core/ports/log.ts";
import { keyOf, type UpstreamInterface } from "../discovery/interfaces.ts";
import type { Timers } from "../timers.ts";

export interface HealthDeps {
  /** Milliseconds; 0: nothing is checked, and nothing is down. */
  readonly interval: number;
  /** The interfaces as they are known now; empty while none is. */
  interfaces(): readonly UpstreamInterface[];
  /** Throws an Error for an interface that is down. */
  check(target: UpstreamInterface, signal: AbortSignal): Promise<void>;
  /** Told of each check that finds an interface up. */
  isUp(target: UpstreamInterface): void;
  readonly timers: Timers;
  readonly log: Log;
}

export interface Health {
  readonly isUp: boolean;
  /** When it was checked, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Why it is down, for whoever looks after the gateway. */
  readonly problem: string | undefined;
}

/** How soon an interface that was up is checked again, in milliseconds; each further time it takes twice as long. */
const SOON = 1_000;

export class HealthChecks {
  readonly #deps: HealthDeps;
  readonly #closing = new AbortController();
  #found: ReadonlyMap<string, Health> = new Map();
  #checking: Promise<void> | undefined;
  #cancelNext = () => {};
  /** Milliseconds to the next check. */
  #wait: number;

  private constructor(deps: HealthDeps) {
    this.#deps = deps;
    this.#wait = deps.interval;
  }

  static open(deps: HealthDeps): HealthChecks {
    const checks = new HealthChecks(deps);
    checks.#checkLater();
    return checks;
  }

  /** Undefined for an interface that was not checked yet. */
  of(target: UpstreamInterface): Health | undefined {
    return this.#found.get(keyOf(target));
  }

  isDown(target: UpstreamInterface): boolean {
    return this.of(target)?.isUp === false;
  }

  /** Checks each interface once, all at a time, unless somebody does already or nothing is to be checked. Never rejects. */
  checkAll(): Promise<void> {
    if (this.#deps.interval === 0) return Promise.resolve();
    this.#checking ??= this.#checkAll().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** Checks soon, and at longer and longer intervals: something has happened. */
  hasten(): void {
    this.#wait = Math.min(SOON, this.#deps.interval);
    if (this.#checking === undefined) this.#checkLater();
  }

  close(): void {
    this.#closing.abort();
    this.#cancelNext();
  }

  #checkLater(): void {
    const { interval, timers } = this.#deps;
    this.#cancelNext();
    if (interval === 0 || this.#closing.signal.aborted) return;
    this.#cancelNext = timers.after(
      this.#wait,
      () => void this.checkAll().finally(() => this.#checkLater()),
    );
    this.#wait = Math.min(2 * this.#wait, interval);
  }

  async #checkAll(): Promise<void> {
    const found = new Map<string, Health>();
    const check = async (target: UpstreamInterface) => {
      found.set(keyOf(target), await this.#healthOf(target));
    };
    await Promise.all(this.#deps.interfaces().map(check));
    if (!this.#closing.signal.aborted) this.#found = found;
  }

  async #healthOf(target: UpstreamInterface): Promise<Health> {
    const { check, isUp, timers, log } = this.#deps;
    const wasUp = !this.isDown(target);
    const fields = { interface: keyOf(target) };
    try {
      await check(target, this.#closing.signal);
      isUp(target);
      if (!wasUp) log.info(fields, "an interface of the agent is up again");
      return { isUp: true, checkedAt: timers.now(), problem: undefined };
    } catch (thrown) {
      if (wasUp && !this.#closing.signal.aborted)
        log.warn({ ...fields, err: thrown }, "an interface of the agent is down");
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      return { isUp: false, checkedAt: timers.now(), problem };
    }
  }
}
