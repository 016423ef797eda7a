/** The algorithms that cards are signed with. The key decides, never what a signature says of itself. */
import type { KeyObject } from "node:crypto";

export type Algorithm = "ES256" | "RS256" | "EdDSA";

/** The hash that is signed; null where the algorithm has its own. */
export const HASHES: Readonly<Record<Algorithm, "sha256" | null>> = {
  ES256: "sha256",
  RS256: "sha256",
  EdDSA: null,
};

/** What a key that fits none is told. */
export const KNOWN_KEYS = "an EC key on P-256, an RSA key of at least 2048 bits or an Ed25519 key";

const LEAST_RSA_BITS = 2048;

/** The algorithm of a private or a public key; undefined for keys that cards are not signed with. */
export function algorithmOf(key: KeyObject): Algorithm | undefined {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ES256";
  if (key.asymmetricKeyType === "rsa" && modulusLength >= LEAST_RSA_BITS) return "RS256";
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  return undefined;
}
