/** What is open and must be closed again, last opened first. */
export class Closers {
  readonly #closers: (() => Promise<void> | void)[] = [];

  /** Remembers how to close something that has just been opened, or is about to be. */
  add(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  /** Closes everything, whatever fails on the way; then throws what failed first. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).toReversed()) {
      try {
        await close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "not everything could be closed");
  }
}
