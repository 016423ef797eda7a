/** Callers that bring a signed token of an issuer; those of other issuers are left to other authenticators. */
import { decodeJwt } from "jose";
import type { Principal } from "../../protocol/principal.ts";
import type { Authenticator } from "../authenticator.ts";
import { checkBinding, principalOf } from "../bearer/claims.ts";
import { BEARER, tokenIn } from "../bearer/token.ts";
import { authorizationOf, type Credentials } from "../credentials.ts";
import type { SignedTokenSettings } from "../settings.ts";
import type { VerificationKeys } from "./verification-keys.ts";
import { VerifiedTokens } from "./verified-tokens.ts";
import { CLOCK_SKEW, verifiedClaims } from "./verify.ts";

export interface SignedTokenDeps {
  readonly method: "jwt" | "oidc";
  readonly keys: VerificationKeys;
  now(): number;
}

export function signedTokenAuthenticator(
  settings: SignedTokenSettings,
  { method, keys, now }: SignedTokenDeps,
): Authenticator {
  const { clockSkew = CLOCK_SKEW } = settings;
  const verified = new VerifiedTokens();

  async function verify(token: string, { certificate }: Credentials): Promise<Principal> {
    const [before, at] = [keys.known(), now()];
    const claims = await verifiedClaims(token, { rules: settings, keyFor: keys.keyFor, now: at });
    checkBinding(claims, certificate);
    const principal = principalOf(claims, settings, method);
    // Keys that came meanwhile may be those that it was checked with, or not.
    if (before !== undefined && before === keys.known())
      verified.remember(token, { principal, checked: { keys: before, at }, clockSkew });
    return principal;
  }

  return {
    method,
    challenge: BEARER,
    authenticate(credentials) {
      const given = authorizationOf(credentials, "Bearer");
      if (given === undefined) return undefined;
      const known = keys.known();
      const found = known && verified.find(given, { keys: known, at: now() });
      if (found !== undefined) {
        checkBinding(found.claims, credentials.certificate);
        return found;
      }
      const token = tokenIn(given);
      return saidIssuer(token) === settings.issuer ? verify(token, credentials) : undefined;
    },
  };
}

/** What an unverified token says of its issuer; undefined for what is no signed token. */
function saidIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
