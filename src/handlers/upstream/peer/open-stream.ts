/** A stream of an agent's that is read, with a place among the calls that are under way. */
import type { Cut } from "../../cut.ts";

export interface StreamPlace<T> {
  /** Aborted, it cuts the stream. */
  readonly cut: Cut;
  /** Takes the place and makes the call. */
  open(): Promise<AsyncIterator<T>>;
  /** Told once when the place is free again, whether or not it was taken; `isRead` unless something was thrown. */
  leave(isRead: boolean): void;
}

/** Why a stream is cut that nobody waits for any more. */
export const OVER = new Error("the call is over");

const DONE = { done: true, value: undefined } as const;

/** Begins when it is first read. To return while the next value is waited for cuts the call at once. */
export class OpenStream<T> implements AsyncIterableIterator<T> {
  readonly #place: StreamPlace<T>;
  #values: AsyncIterator<T> | undefined;
  #isWaiting = false;
  #isOver = false;

  constructor(place: StreamPlace<T>) {
    this.#place = place;
  }

  /** Throws what the call throws, or the reason for which it was cut. */
  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return DONE;
    this.#isWaiting = true;
    try {
      this.#values ??= await this.#place.open();
      const step = await this.#values.next();
      if (step.done !== true) return step;
      this.#end(true);
      return DONE;
    } catch (thrown) {
      const { aborted: isCut, reason } = this.#place.cut;
      this.#end(false);
      if (reason === OVER) return DONE;
      throw isCut ? reason : thrown;
    } finally {
      this.#isWaiting = false;
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    if (this.#isWaiting) this.#place.cut.abort(OVER);
    else if (!this.#isOver) {
      await this.#values?.return?.();
      this.#end(true);
    }
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(isRead: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#place.leave(isRead);
  }
}
