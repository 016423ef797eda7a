/**
 * How tokens may be signed: with a private key only. `none` is no signature, and a shared secret (HS256 and the like)
 * would let anybody sign with the public key as the secret.
 */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];
