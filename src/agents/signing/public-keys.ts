/** The keys that signatures are verified with, from the forms in which they are handed on. */
import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { algorithmOf, KNOWN_KEYS, type Algorithm } from "./algorithms.ts";

export interface PublicKey {
  /** Undefined for a key that came without a name: it is tried on every signature. */
  readonly kid: string | undefined;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

/** The keys in a PEM text, a JWK or a set of them; in a set, keys of other kinds are passed over. */
export function publicKeysOf(text: string): readonly PublicKey[] {
  const json = jsonOf(text);
  const keys = json === undefined ? keysOfPem(text) : jwksOf(json).flatMap(keysOfJwk);
  if (keys.length === 0) throw new Error(`expected ${KNOWN_KEYS}`);
  return keys;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keysOfPem(text: string): readonly PublicKey[] {
  try {
    return keysOf(createPublicKey(text), undefined);
  } catch (cause) {
    throw new Error("expected a public key in PEM, or a JSON Web Key Set", { cause });
  }
}

function jwksOf(json: unknown): readonly unknown[] {
  if (typeof json !== "object" || json === null) return [];
  return "keys" in json && Array.isArray(json.keys) ? json.keys : [json];
}

function keysOfJwk(json: unknown): readonly PublicKey[] {
  if (typeof json !== "object" || json === null) return [];
  const jwk = json as JsonWebKey;
  const kid = typeof jwk["kid"] === "string" ? jwk["kid"] : undefined;
  try {
    return keysOf(createPublicKey({ key: jwk, format: "jwk" }), kid);
  } catch {
    return [];
  }
}

function keysOf(key: KeyObject, kid: string | undefined): readonly PublicKey[] {
  const algorithm = algorithmOf(key);
  return algorithm === undefined ? [] : [{ kid, algorithm, key }];
}
