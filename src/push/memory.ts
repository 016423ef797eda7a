/** What was learnt of names that anybody may make up: kept while there is room, with no end of it to clean up. */
import { ChurningMap } from "../core/churning-map.ts";

/** Keeps what was written or read last: at least so many entries, and at most twice as many. */
export class Memory<T> {
  readonly #least: number;
  #young = new ChurningMap<T>();
  #old = new ChurningMap<T>();

  constructor(least: number) {
    this.#least = least;
  }

  get(name: string): T | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) this.set(name, old);
    return old;
  }

  set(name: string, value: T): void {
    if (this.#young.size >= this.#least && this.#young.get(name) === undefined) {
      this.#old = this.#young;
      this.#young = new ChurningMap<T>();
    }
    this.#young.set(name, value);
  }
}
