/** The keys of an issuer, which it may replace at any time. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { Log } from "../../core/ports/log.ts";
import { steady } from "../../steady-clock.ts";
import { isJsonObject } from "../json.ts";

/** Milliseconds. Younger keys are used as they are, older ones while newer ones are on their way. */
const FRESH = 10 * 60_000;

/** Milliseconds. Older keys are used only where no newer ones can be had. */
const STALE = 60 * 60_000;

/** Milliseconds. Older keys are not used. */
const EXPIRED = 24 * 60 * 60_000;

/** Milliseconds between two requests for keys, however many tokens name one that is not there. */
const COOL_DOWN = 30_000;

/** Milliseconds between a failure and the next request. */
const FAILURE_LASTS = 5_000;

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface Held {
  readonly keys: KeySet;
  readonly text: string;
  readonly at: number;
}

export interface KeysInput {
  /** For the log. */
  readonly issuer: string;
  /** The key set (RFC 7517, 5) as it is now; many who ask at a time cause one call. */
  fetch(): Promise<JsonObject>;
  now(): number;
  readonly log: Log;
}

export class VerificationKeys {
  readonly #input: KeysInput;
  #held: Held | undefined;
  #renewal: Promise<KeySet> | undefined;
  #failure: { readonly at: number; readonly cause: unknown } | undefined;

  constructor(input: KeysInput) {
    this.#input = { ...input, now: steady(() => input.now()) };
  }

  /**
   * The key that a token's header names. One that is not there may be new: the keys are then asked for again, unless
   * they just were. Throws an error of jose where there is none or more than one, UNAVAILABLE where nobody can say.
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey) || this.#isCoolingDown()) throw thrown;
      return (await this.#renewed())(header, token);
    }
  };

  /**
   * The keys that tokens are checked with now, where nobody has to wait for them: the same object for as long as the issuer
   * has the same keys, so that what was checked with it is good by it. Newer ones are fetched when it is time to.
   */
  known(): object | undefined {
    const { now } = this.#input;
    const held = this.#held;
    if (held === undefined) return undefined;
    const age = now() - held.at;
    if (age >= EXPIRED || (age >= STALE && !this.#isFailing())) return undefined;
    if (age >= FRESH) void this.#renewed().catch(() => {});
    return held.keys;
  }

  async #current(): Promise<KeySet> {
    const held = this.#held;
    const age = held === undefined ? Infinity : this.#input.now() - held.at;
    if (held === undefined || age >= EXPIRED) return this.#renewed();
    if (age >= STALE) return this.#renewed().catch(() => held.keys);
    // Whoever asks need not wait, nor mind that none came.
    if (age >= FRESH) void this.#renewed().catch(() => {});
    return held.keys;
  }

  #isCoolingDown(): boolean {
    return this.#held !== undefined && this.#input.now() - this.#held.at < COOL_DOWN;
  }

  #renewed(): Promise<KeySet> {
    if (this.#isFailing()) return Promise.reject(unavailable(this.#failure?.cause));
    this.#renewal ??= this.#fetched().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  #isFailing(): boolean {
    return this.#failure !== undefined && this.#input.now() - this.#failure.at < FAILURE_LASTS;
  }

  async #fetched(): Promise<KeySet> {
    const { fetch, now, issuer, log } = this.#input;
    try {
      const set = publicOnly(await fetch());
      const text = JSON.stringify(set);
      const held = this.#held;
      const keys = held?.text === text ? held.keys : createLocalJWKSet(set);
      this.#held = { keys, text, at: now() };
      this.#failure = undefined;
      return keys;
    } catch (cause) {
      this.#failure = { at: now(), cause };
      log.warn({ issuer, err: cause }, "keys of an issuer not fetched");
      throw unavailable(cause);
    }
  }
}

function unavailable(cause: unknown): A2AError {
  const retryAfter = FAILURE_LASTS / 1000;
  return new A2AError("UNAVAILABLE", "bearer tokens cannot be checked now", { cause, retryAfter });
}

const ASYMMETRIC: ReadonlySet<JsonValue | undefined> = new Set(["RSA", "EC", "OKP"]);

/** Secrets and private keys are nothing to verify with: who publishes them has signed nothing by them. */
function publicOnly(json: JsonObject): JSONWebKeySet {
  const { keys } = json;
  if (!Array.isArray(keys)) throw new Error("expected a JSON Web Key Set");
  const usable = (keys as readonly JsonValue[])
    .filter((key) => isJsonObject(key))
    .filter((key) => ASYMMETRIC.has(key["kty"]) && !("d" in key));
  return { keys: usable } as unknown as JSONWebKeySet;
}
