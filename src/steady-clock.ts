/** For durations, which a clock that is set back must not make longer. */

/** The clock without its steps back; it is ahead of the other one by their sum then. Milliseconds, both. */
export function steady(now: () => number): () => number {
  let last = -Infinity;
  let ahead = 0;
  return () => {
    const read = now();
    if (read < last) ahead += last - read;
    last = read;
    return read + ahead;
  };
}
