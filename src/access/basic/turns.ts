/** Work that is done by few at a time, while some wait. */
import { A2AError } from "../../protocol/errors.ts";

/** Node derives keys on the four threads that the database needs too. */
const MOST_AT_A_TIME = 2;

/** Whoever comes after that many that wait is sent away. */
const MOST_WAITING = 64;

export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Does the work when it is its turn. Throws UNAVAILABLE where too many wait, else what the work throws. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MOST_AT_A_TIME) this.#running++;
    else {
      if (this.#waiting.length >= MOST_WAITING)
        throw new A2AError("UNAVAILABLE", "too many logins at a time", { retryAfter: 1 });
      // Whoever ends hands on its place.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
