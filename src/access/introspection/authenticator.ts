/** Callers that bring a token which only its authorization server can read. */
import type { JsonObject } from "../../protocol/json.ts";
import type { Authenticator } from "../authenticator.ts";
import { checkBinding, principalOf } from "../bearer/claims.ts";
import { BEARER, bearerToken } from "../bearer/token.ts";
import { BadCredentials } from "../refusal.ts";
import type { IntrospectionSettings } from "../settings.ts";
import type { Introspector } from "./introspector.ts";

const CLOCK_SKEW = 30_000;

export interface IntrospectionDeps {
  readonly introspector: Introspector;
  now(): number;
}

/** Takes every bearer token, and with it those that authenticators after it may know. */
export function introspectionAuthenticator(
  settings: IntrospectionSettings,
  { introspector, now }: IntrospectionDeps,
): Authenticator {
  return {
    method: "introspection",
    challenge: BEARER,
    async authenticate(credentials) {
      const token = bearerToken(credentials);
      if (token === undefined) return undefined;
      const claims = await introspector.claimsOf(token);
      if (claims === undefined) throw new BadCredentials("the bearer token is not valid");
      checkKind(claims);
      checkTime(claims, now(), settings.clockSkew ?? CLOCK_SKEW);
      checkAudience(claims, settings.audience);
      checkBinding(claims, credentials.certificate);
      return principalOf(claims, settings, "introspection");
    },
  };
}

/** A refresh token may be active too; servers name the type of access tokens only. */
function checkKind({ token_type: type }: JsonObject): void {
  if (type === undefined || (typeof type === "string" && type.toLowerCase() === "bearer")) return;
  throw new BadCredentials("the bearer token is of another type");
}

/** The answer may be from a while ago. */
function checkTime({ exp, nbf }: JsonObject, now: number, skew: number): void {
  if (typeof exp === "number" && now >= exp * 1000 + skew)
    throw new BadCredentials("the bearer token has expired");
  if (typeof nbf === "number" && now < nbf * 1000 - skew)
    throw new BadCredentials("the bearer token is not valid yet");
}

function checkAudience({ aud }: JsonObject, expected: IntrospectionSettings["audience"]): void {
  if (expected === false) return;
  const allowed: readonly unknown[] = typeof expected === "string" ? [expected] : expected;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!named.some((each) => allowed.includes(each)))
    throw new BadCredentials("the bearer token is for somebody else");
}
