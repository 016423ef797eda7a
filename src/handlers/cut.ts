/** What ends a call from outside. */

/** What is asked of an AbortSignal, and of a `Cut`. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  /** The listener is called once, with the abort that comes. */
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

const NONE: readonly (() => void)[] = [];

/** An AbortController and its signal in one, at a small part of their price: each call has two or three. */
export class Cut implements Signal {
  #isAborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = NONE;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = NONE;
    for (const listener of listeners) listener();
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}
