/** Time, chance and what happens later, as values: tests decide them. */
export interface Timers {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Runs something once; what it answers with takes it back. */
  after(milliseconds: number, run: () => void): () => void;
}

/** Nothing that waits keeps the process alive. */
export const systemTimers: Timers = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * How long to wait after so many failures in a row, in milliseconds: doubled from one to the next, and somewhere between
 * half of that and all of it, so that those who failed together do not come back together.
 */
export function backoffOf(
  failures: number,
  { first, most }: { readonly first: number; readonly most: number },
  random: number,
): number {
  const longest = Math.min(most, first * 2 ** Math.min(failures - 1, 30));
  return Math.round(longest * (0.5 + random / 2));
}
