/** Node fires timers beyond this at once. */
const LONGEST = 2 ** 31 - 1;

/** A delay that timers take; what is longer than 24 days is 24 days. */
export function timerDelay(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST);
}

/** `2 s`, `150 ms`: a duration in a message. */
export function durationText(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000} s` : `${milliseconds} ms`;
}
