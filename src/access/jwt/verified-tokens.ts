/** Tokens that were found to be good, so that a signature is checked once and not with every call. */
import { LRUCache } from "lru-cache";
import type { Principal } from "../../protocol/principal.ts";
import { digestOf } from "../digest.ts";

const MAX_REMEMBERED = 10_000;

/** Longer ones are checked each time: what is remembered of all has to fit into memory. */
const MAX_LENGTH = 4096;

/** What a token was checked with, and when. */
export interface Checked {
  /** The keys of the issuer as they were, the same object for as long as they are the same. */
  readonly keys: object;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A token that was found to be good. */
export interface Good {
  readonly principal: Principal;
  readonly checked: Checked;
  /** How long after its `exp` it still is, in milliseconds. */
  readonly clockSkew: number;
}

interface Verified extends Omit<Good, "clockSkew"> {
  /** Milliseconds since 1970; from then on the token has expired. */
  readonly end: number;
}

export class VerifiedTokens {
  /** By their digests: tokens are not kept, whoever reads the memory later. */
  readonly #verified = new LRUCache<string, Verified>({ max: MAX_REMEMBERED });

  /**
   * Whose token it is, where it would be found good now as it was before: with the same keys, and not before it was. What
   * belongs to the connection, as a certificate does, is not part of that.
   */
  find(token: string, { keys, at }: Checked): Principal | undefined {
    if (token.length > MAX_LENGTH) return undefined;
    const found = this.#verified.get(digestOf(token));
    if (found === undefined || found.checked.keys !== keys) return undefined;
    return at >= found.checked.at && at < found.end ? found.principal : undefined;
  }

  remember(token: string, { principal, checked, clockSkew }: Good): void {
    const { exp } = principal.claims;
    if (token.length > MAX_LENGTH || typeof exp !== "number") return;
    // The check of `exp` is one of whole seconds.
    const end = Math.ceil(exp + clockSkew / 1000) * 1000;
    this.#verified.set(digestOf(token), { principal, checked, end });
  }
}
