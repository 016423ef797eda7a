/**
 * Compares passwords with their hashes. To do so is slow on purpose, and a caller sends the same one with each request:
 * one that was right is remembered for a while, under a key that is worth nothing outside of this process.
 */
import { createHmac, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isPassword, unmatchableHash, USUAL_COST, type PasswordHash } from "./password-hash.ts";
import { Turns } from "./turns.ts";

/** Milliseconds. */
const REMEMBERED = 5 * 60_000;

const MAX_REMEMBERED = 1_000;

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What is known of the guesses of whoever logs in. */
export interface Guesses {
  /** Throws where the caller must not learn any more. */
  mayTry(): void;
  failed(): void;
}

export class PasswordCheck {
  readonly #hashes: ReadonlyMap<string, PasswordHash>;
  readonly #unknown: PasswordHash;
  readonly #now: () => number;
  readonly #secret = randomBytes(32);
  /** Until when what is known to be right needs no other look. */
  readonly #right = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #turns = new Turns();

  /** @param hashes by user name. */
  constructor(hashes: ReadonlyMap<string, PasswordHash>, now: () => number) {
    this.#hashes = hashes;
    this.#now = now;
    // A user that is not there costs what one that is there costs.
    const [first = USUAL_COST] = hashes.values();
    this.#unknown = unmatchableHash(first);
  }

  /** Whether there is such a user with that password. Throws what `mayTry` throws, UNAVAILABLE where too many wait. */
  async isRight(login: Login, guesses: Guesses): Promise<boolean> {
    guesses.mayTry();
    const key = this.#keyOf(login);
    const until = this.#right.get(key);
    if (until !== undefined && this.#now() < until) return true;
    const same = this.#underWay.get(key);
    if (same !== undefined) return same;
    const compared = this.#turns.take(() => this.#compared(login, guesses));
    this.#underWay.set(key, compared);
    try {
      const isRight = await compared;
      if (isRight) this.#right.set(key, this.#now() + REMEMBERED);
      return isRight;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Asks once more, since it may have waited; and counts before the turn ends, or as many as wait would be free. */
  async #compared({ username, password }: Login, guesses: Guesses): Promise<boolean> {
    guesses.mayTry();
    const hash = this.#hashes.get(username);
    const isEqual = await isPassword(password, hash ?? this.#unknown);
    const isRight = isEqual && hash !== undefined;
    if (!isRight) guesses.failed();
    return isRight;
  }

  #keyOf({ username, password }: Login): string {
    const text = JSON.stringify([username, password]);
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}
