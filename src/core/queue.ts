/** First in, first out, at the same price for each, however long it is: an array's shift moves all that is left. */
export class Queue<T> {
  #entries: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  shift(): T | undefined {
    const entry = this.#entries[this.#first];
    if (this.#first === this.#entries.length) return undefined;
    this.#entries[this.#first++] = undefined;
    if (this.#first === this.#entries.length) this.clear();
    return entry;
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
  }
}
