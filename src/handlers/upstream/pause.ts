import type { Signal } from "../cut.ts";
import type { Timers } from "./timers.ts";

/** Ends early, without a word, when the signal is aborted. */
export function pause(timers: Timers, milliseconds: number, signal: Signal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      takeBack();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const takeBack = timers.after(milliseconds, end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
