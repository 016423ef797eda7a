import type { Credentials } from "./credentials.ts";
import type { Method, Principal } from "../protocol/principal.ts";
import type { Challenge } from "./refusal.ts";

/** One way to recognise who calls. */
export interface Authenticator {
  readonly method: Method;
  /** What a caller without credentials is told. */
  readonly challenge: Challenge;
  /**
   * Who calls; undefined where the request has no credentials of this kind. Throws BadCredentials where it has some
   * that are not good, UNAVAILABLE where nobody can say at the moment, RATE_LIMITED after too many wrong guesses; at once
   * or in the promise.
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined>;
}
