/** Keeps idle event streams from being cut by proxies: one timer for all of them. */
import type { ServerResponse } from "node:http";

/**
 * A comment without the blank line that usually follows it: some clients take a blank line for an event without data
 * once they have seen an `id:`.
 */
const BEAT = ":\n";

/** The streams are dealt to so many groups, so that thousands of them are not all written to at once. */
const GROUPS = 15;

/** A stream's place among the others; arrays, since short streams come and go at a rate that a Set does not take well. */
export interface Beat {
  readonly stream: ServerResponse;
  readonly group: Beat[];
  index: number;
}

export class Heartbeat {
  readonly #groups: readonly Beat[][];
  readonly #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #next = 0;

  /** @param intervalMs how often each stream gets a comment; 0: never. */
  constructor(intervalMs: number) {
    this.#groups = Array.from({ length: GROUPS }, () => []);
    if (intervalMs > 0)
      this.#timer = setInterval(() => this.#beat(), Math.max(1, intervalMs / GROUPS)).unref();
  }

  /** The stream gets comments until its beat is removed. */
  add(stream: ServerResponse): Beat {
    this.#next = (this.#next + 1) % GROUPS;
    const group = this.#groups[this.#next] ?? [];
    const beat = { stream, group, index: group.length };
    group.push(beat);
    return beat;
  }

  remove({ group, index }: Beat): void {
    const last = group.pop();
    const removed = group[index];
    if (last === undefined || removed === undefined) return;
    group[index] = last;
    last.index = index;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#turn = (this.#turn + 1) % GROUPS;
    for (const { stream } of this.#groups[this.#turn] ?? [])
      if (!stream.writableNeedDrain) stream.write(BEAT);
  }
}
