/** Callers that bring a signed token of an issuer; those of other issuers are left to other authenticators. */
import { decodeJwt } from "jose";
import type { Authenticator } from "../authenticator.ts";
import { checkBinding, principalOf } from "../bearer/claims.ts";
import { BEARER, bearerToken } from "../bearer/token.ts";
import type { SignedTokenSettings } from "../settings.ts";
import type { VerificationKeys } from "./verification-keys.ts";
import { verifiedClaims } from "./verify.ts";

export interface SignedTokenDeps {
  readonly method: "jwt" | "oidc";
  readonly keys: VerificationKeys;
  now(): number;
}

export function signedTokenAuthenticator(
  settings: SignedTokenSettings,
  { method, keys, now }: SignedTokenDeps,
): Authenticator {
  return {
    method,
    challenge: BEARER,
    async authenticate(credentials) {
      const token = bearerToken(credentials);
      if (token === undefined || saidIssuer(token) !== settings.issuer) return undefined;
      const rules = { rules: settings, keyFor: keys.keyFor, now: now() };
      const claims = await verifiedClaims(token, rules);
      checkBinding(claims, credentials.certificate);
      return principalOf(claims, settings, method);
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
