/** Keys of an issuer, and the tokens that it signs. */
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";

export interface SigningKey {
  readonly kid: string | undefined;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function newSigningKey(
  kid: string | undefined,
  algorithm = "ES256",
): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { kid, algorithm, privateKey, jwk: { ...jwk, ...(kid !== undefined && { kid }) } };
}

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "https://gateway.example";

/** That may be named in a header as one that must be understood. */
export const UNKNOWN_EXTENSION = "urn:example:unknown";

/** Good for five minutes unless the claims say otherwise; a claim of undefined is left out. */
export function tokenOf(
  key: SigningKey,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: "alice", iat: now, exp: now + 300 };
  const kid = key.kid === undefined ? {} : { kid: key.kid };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: key.algorithm, ...kid, ...header })
    .sign(key.privateKey, { crit: { [UNKNOWN_EXTENSION]: true } });
}
