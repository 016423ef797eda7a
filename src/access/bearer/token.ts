import { authorizationOf, type Credentials } from "../credentials.ts";
import { BadCredentials, type Challenge } from "../refusal.ts";

export const BEARER: Challenge = { scheme: "Bearer" };

/** Longer ones are not looked at. */
const MAX_LENGTH = 16 * 1024;

/** The token of a request, undefined without one. Throws BadCredentials for what cannot be one (RFC 6750, 2.1). */
export function bearerToken(credentials: Credentials): string | undefined {
  const given = authorizationOf(credentials, "Bearer");
  return given === undefined ? undefined : tokenIn(given);
}

/** What stands behind the scheme, where it can be a token; throws BadCredentials where it cannot. */
export function tokenIn(token: string): string {
  if (token.length > MAX_LENGTH || !/^[\w.~+/-]+=*$/.test(token))
    throw new BadCredentials("the bearer token is not readable");
  return token;
}
