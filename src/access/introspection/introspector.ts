/** Asks an authorization server about tokens (RFC 7662), and remembers its answers for a while. */
import { LRUCache } from "lru-cache";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { steady } from "../../steady-clock.ts";
import { digestOf } from "../digest.ts";
import { answerTo, RefusedQuestion } from "../identity-server.ts";

const CACHE_FOR = 60_000;

/** For how long a token that is not good counts as such, in milliseconds. */
const BAD_FOR = 10_000;

const MAX_CACHED = 10_000;

/** Questions at a time; whoever comes with another token then is sent away. */
const MAX_ASKED = 64;

/** How long a failure counts for everybody, in milliseconds: a server that is down is not asked for each call. */
const FAILURE_LASTS = 2_000;

export interface IntrospectorInput {
  readonly url: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Milliseconds; not beyond the token's end. */
  readonly cacheFor: number | undefined;
  readonly log: Log;
  now(): number;
}

interface Answer {
  /** Undefined for a token that is not good. */
  readonly claims: JsonObject | undefined;
  readonly until: number;
}

export class Introspector {
  readonly #input: IntrospectorInput;
  /** For how long answers and failures count. */
  readonly #now: () => number;
  readonly #authorization: string;
  readonly #cached = new LRUCache<string, Answer>({ max: MAX_CACHED });
  readonly #asked = new Map<string, Promise<Answer>>();
  #failure: { readonly at: number; readonly cause: unknown } | undefined;

  constructor(input: IntrospectorInput) {
    this.#input = input;
    this.#now = steady(() => input.now());
    const { clientId, clientSecret } = input;
    // The id and the secret are encoded like form fields first (RFC 6749, 2.3.1).
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    this.#authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  }

  /**
   * What the server says of a token; undefined for one that is not good. Many who ask about one at a time cause one
   * question. Throws UNAVAILABLE while the server cannot be asked.
   */
  async claimsOf(token: string): Promise<JsonObject | undefined> {
    const key = digestOf(token);
    const now = this.#now();
    const cached = this.#cached.get(key);
    if (cached !== undefined && now < cached.until) return cached.claims;
    const failure = this.#failure;
    if (failure !== undefined && now - failure.at < FAILURE_LASTS) throw unavailable(failure.cause);
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      if (this.#asked.size >= MAX_ASKED) throw unavailable("too many questions at a time");
      asked = this.#answerAbout(token, key).finally(() => this.#asked.delete(key));
      this.#asked.set(key, asked);
    }
    return (await asked).claims;
  }

  async #answerAbout(token: string, key: string): Promise<Answer> {
    const { url, log } = this.#input;
    try {
      const body = new URLSearchParams({ token, token_type_hint: "access_token" }).toString();
      const json = await answerTo({ url, form: { authorization: this.#authorization, body } });
      if (typeof json["active"] !== "boolean") throw new Error("an answer without active");
      const answer = this.#answerOf(json);
      this.#cached.set(key, answer);
      this.#failure = undefined;
      return answer;
    } catch (cause) {
      if (!isAboutToken(cause)) this.#failure = { at: this.#now(), cause };
      log.warn({ host: url.host, err: cause }, "token not introspected");
      throw unavailable(cause);
    }
  }

  #answerOf(json: JsonObject): Answer {
    const { now, cacheFor = CACHE_FOR } = this.#input;
    const since = this.#now();
    if (json["active"] !== true) return { claims: undefined, until: since + BAD_FOR };
    const { exp } = json;
    const left = typeof exp === "number" ? exp * 1000 - now() : Infinity;
    return { claims: json, until: since + Math.min(left, cacheFor) };
  }
}

/** A server, or what guards it, may dislike what is asked: nobody is to keep others out with a token of that kind. */
function isAboutToken(cause: unknown): boolean {
  return cause instanceof RefusedQuestion && DISLIKED.has(cause.status);
}

const DISLIKED: ReadonlySet<number> = new Set([400, 403, 413, 414, 422, 431]);

function unavailable(cause: unknown): A2AError {
  const retryAfter = FAILURE_LASTS / 1000;
  return new A2AError("UNAVAILABLE", "bearer tokens cannot be checked now", { cause, retryAfter });
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
