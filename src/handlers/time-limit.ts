/** How long a turn may take. */

export interface TimeLimit {
  /** Whether it was the time that ended the turn, and not the caller. */
  isPassed(): boolean;
  /** Forgets the turn, which has ended. */
  lift(): void;
}

/** Calls `stop` after so many milliseconds (0: never), and when the turn is aborted, at once when it already is. */
export function startLimit(timeout: number, turn: AbortSignal, stop: () => void): TimeLimit {
  let passed = false;
  const onTimeout = () => {
    passed = true;
    stop();
  };
  const timer = timeout > 0 ? setTimeout(onTimeout, timeout) : undefined;
  turn.addEventListener("abort", stop);
  if (turn.aborted) stop();
  return {
    isPassed: () => passed,
    lift: () => {
      clearTimeout(timer);
      turn.removeEventListener("abort", stop);
    },
  };
}

/** `2 s`, `150 ms`: a duration in a message. */
export function durationText(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000} s` : `${milliseconds} ms`;
}
