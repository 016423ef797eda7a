/** Keeps idle event streams from being cut by proxies: one timer for all of them. */
import type { ServerResponse } from "node:http";

/**
 * A comment without the blank line that usually follows it: some clients take a blank line for an event without data
 * once they have seen an `id:`.
 */
const BEAT = ":\n";

/** The streams are dealt to so many groups, so that thousands of them are not all written to at once. */
const GROUPS = 15;

export class Heartbeat {
  readonly #groups: readonly Set<ServerResponse>[];
  readonly #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  /** @param intervalMs how often each stream gets a comment; 0: never. */
  constructor(intervalMs: number) {
    this.#groups = Array.from({ length: GROUPS }, () => new Set<ServerResponse>());
    if (intervalMs > 0)
      this.#timer = setInterval(() => this.#beat(), Math.max(1, intervalMs / GROUPS)).unref();
  }

  add(stream: ServerResponse): void {
    if (this.#timer === undefined) return;
    let smallest = this.#groups[0];
    for (const group of this.#groups)
      if (smallest === undefined || group.size < smallest.size) smallest = group;
    smallest?.add(stream);
  }

  delete(stream: ServerResponse): void {
    for (const group of this.#groups) if (group.delete(stream)) return;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#turn = (this.#turn + 1) % GROUPS;
    for (const stream of this.#groups[this.#turn] ?? [])
      if (!stream.writableNeedDrain) stream.write(BEAT);
  }
}
