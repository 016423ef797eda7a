/**
 * How the tasks of an agent that was away are taken up again: a few at a time, however many they are. One of them tries
 * every now and then, and each that succeeds lets two more go.
 */
import type { Signal } from "../cut.ts";
import { Slots } from "../slots.ts";
import type { Timers } from "./timers.ts";

/** That a task may be asked for now. */
export interface Leave {
  /** Whether it is to find out if the agent is back: such a call is made even where others are held back. */
  readonly isScout: boolean;
  /** Told once whether the agent answered; what is told later is ignored. */
  end(isReached: boolean): void;
}

interface Asking {
  /** Milliseconds after which it is tried whatever becomes of the others; 0: now. */
  readonly pause: number;
  readonly signal: Signal;
}

/** How many are under way at a time. */
const MOST = 16;

/** How often one of those that wait tries, in milliseconds, at most; and how long one that is slow keeps others back. */
const ROUND = 1_000;

interface Sleeper {
  wake(isScout: boolean): void;
}

interface Taken {
  readonly since: number;
  release(): void;
}

export class Reattachments {
  readonly #timers: Timers;
  readonly #slots = new Slots(MOST, Number.POSITIVE_INFINITY);
  /** In the order of their arrival. */
  readonly #sleepers = new Set<Sleeper>();
  readonly #taken = new Set<Taken>();
  #queued = 0;
  #isRoundSet = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Undefined when the signal is aborted first. */
  async leave({ pause, signal }: Asking): Promise<Leave | undefined> {
    const isScout = pause > 0 && (await this.#sleep(pause, signal));
    this.#queued += 1;
    if (this.#taken.size + this.#queued > MOST) this.#setRound();
    const hasSlot = await this.#slots.take(signal).finally(() => (this.#queued -= 1));
    return hasSlot ? this.#taking(isScout) : undefined;
  }

  /** Whether it was chosen to try for all. */
  #sleep(pause: number, signal: Signal): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = (isScout: boolean): void => {
        takeBack();
        signal.removeEventListener("abort", stop);
        this.#sleepers.delete(sleeper);
        resolve(isScout);
      };
      const sleeper = { wake };
      const stop = (): void => wake(false);
      const takeBack = this.#timers.after(pause, stop);
      signal.addEventListener("abort", stop);
      this.#sleepers.add(sleeper);
      this.#setRound();
      if (signal.aborted) stop();
    });
  }

  #taking(isScout: boolean): Leave {
    let isHeld = true;
    let isOver = false;
    const release = (): void => {
      if (isHeld) this.#slots.release();
      isHeld = false;
      this.#taken.delete(taken);
    };
    const taken = { since: this.#timers.now(), release };
    this.#taken.add(taken);
    return {
      isScout,
      end: (isReached) => {
        if (isOver) return;
        isOver = true;
        release();
        if (isReached) for (let count = 0; count < 2; count++) this.#wakeFirst(false);
      },
    };
  }

  #wakeFirst(isScout: boolean): void {
    const [first] = this.#sleepers;
    first?.wake(isScout);
  }

  #setRound(): void {
    if (this.#isRoundSet) return;
    this.#isRoundSet = true;
    this.#timers.after(Math.round(ROUND * (0.5 + this.#timers.random() / 2)), () => {
      this.#isRoundSet = false;
      const latest = this.#timers.now() - ROUND;
      for (const taken of this.#taken) if (taken.since <= latest) taken.release();
      this.#wakeFirst(true);
      if (this.#sleepers.size + this.#queued > 0) this.#setRound();
    });
  }
}
