/** Sleep from which others wake. One sleeper. */
export class Alarm {
  #timer: NodeJS.Timeout | undefined;
  #rise: (() => void) | undefined;
  #isDeaf = false;
  #isRinging = false;
  #isEnded = false;

  /** Whether the next sleep ends at once. */
  get isRinging(): boolean {
    return this.#isRinging || this.#isEnded;
  }

  /** Ends the sleep, or the next one if nobody sleeps now. */
  wake(): void {
    this.#isRinging = true;
    if (!this.#isDeaf) this.#rise?.();
  }

  /** Forgets that it rang: whoever works from now on sees what there was to see. */
  reset(): void {
    this.#isRinging = false;
  }

  /** Ends the sleep and every later one. */
  end(): void {
    this.#isEnded = true;
    this.#rise?.();
  }

  /** Resolves after that many milliseconds, or when it rings. */
  sleep(milliseconds: number): Promise<void> {
    return this.isRinging ? Promise.resolve() : this.#lie(milliseconds, false);
  }

  /** As `sleep`, but only `end` ends it early. */
  pause(milliseconds: number): Promise<void> {
    return this.#lie(milliseconds, true);
  }

  #lie(milliseconds: number, isDeaf: boolean): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#isDeaf = isDeaf;
      this.#rise = () => {
        clearTimeout(this.#timer);
        this.#rise = undefined;
        resolve();
      };
      this.#timer = setTimeout(this.#rise, milliseconds);
    });
  }
}

const LONGEST_MS = 30_000;

/** The pause after so many failures of a store in a row: 1, 2, 4 … 30 seconds. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_MS, 1000 * 2 ** Math.min(failures - 1, 10));
}
