/** The keys that signatures are verified with, from the forms in which they are handed on. */
import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { isObject } from "../../wire/schema/objects.ts";
import { algorithmOf, KNOWN_KEYS, type Algorithm } from "./algorithms.ts";

export interface PublicKey {
  /** Undefined for a key that came without a name: it is tried on every signature. */
  readonly kid: string | undefined;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

/** The keys in a PEM text, a JWK or a set of them (RFC 7517). Throws where there is none that cards are signed with. */
export function publicKeysOf(text: string): readonly PublicKey[] {
  const keys = foundIn(text).filter((found) => typeof found !== "string");
  if (keys.length === 0) throw new Error(unusedKeysOf(text).join("; ") || `expected ${KNOWN_KEYS}`);
  return keys;
}

/** Which keys of such a text are passed over, and why. */
export function unusedKeysOf(text: string): readonly string[] {
  return foundIn(text).filter((found) => typeof found === "string");
}

/** The keys, and in the place of each that is not used the reason. */
function foundIn(text: string): readonly (PublicKey | string)[] {
  const json = jsonOf(text);
  return json === undefined ? [keyOfPem(text)] : jwksOf(json).map(keyOfJwk);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOfPem(text: string): PublicKey | string {
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/m.test(text)) throw new Error(PRIVATE);
  const key = publicKeyOf(text);
  if (key === undefined) throw new Error("expected a public key in PEM, or a JSON Web Key Set");
  const algorithm = algorithmOf(key);
  return algorithm === undefined ? `expected ${KNOWN_KEYS}` : { kid: undefined, algorithm, key };
}

/** A private key in the hands of a verifier is a mistake that somebody has to hear of. */
const PRIVATE = "a private key where a public one was expected";

function jwksOf(json: unknown): readonly unknown[] {
  return isObject(json) && Array.isArray(json["keys"]) ? json["keys"] : [json];
}

function keyOfJwk(jwk: unknown): PublicKey | string {
  if (!isObject(jwk)) return "a key that is no JSON Web Key is not used";
  const { kid } = jwk;
  if (kid !== undefined && typeof kid !== "string")
    throw new Error("a key with a kid that is no text");
  if ("d" in jwk) throw new Error(PRIVATE);
  const key = publicKeyOf({ key: jwk as JsonWebKey, format: "jwk" });
  const algorithm = key && algorithmOf(key);
  const not = (why: string): string =>
    `key ${kid === undefined ? "without a kid" : JSON.stringify(kid)} is not used: ${why}`;
  if (key === undefined || algorithm === undefined) return not(`expected ${KNOWN_KEYS}`);
  const why = refusalOf(jwk, algorithm);
  return why === undefined ? { kid, algorithm, key } : not(why);
}

function publicKeyOf(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input);
  } catch {
    return undefined;
  }
}

/** What its owner did not mean it for (RFC 7517, 4.2 to 4.4). */
function refusalOf(
  { use, key_ops: operations, alg }: Readonly<Record<string, unknown>>,
  algorithm: Algorithm,
): string | undefined {
  if (use !== undefined && use !== "sig") return `its use is ${JSON.stringify(use)}`;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify")))
    return `its key_ops lack "verify"`;
  if (alg !== undefined && alg !== algorithm)
    return `its alg is ${JSON.stringify(alg)}, and it is one for ${algorithm}`;
  return undefined;
}
