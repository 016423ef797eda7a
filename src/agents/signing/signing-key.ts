import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { whyUnreadable } from "../../text-file.ts";
import { algorithmOf, KNOWN_KEYS, type Algorithm } from "./algorithms.ts";

export interface SigningKeySettings {
  /** A PEM file with a private key. */
  readonly file: string;
  /** The name under which verifiers find the key. */
  readonly kid: string;
  /** Where they find the key set; absent: where the gateway serves it. */
  readonly jku?: string;
}

export interface SigningKey {
  readonly kid: string;
  readonly jku?: string;
  readonly algorithm: Algorithm;
  readonly privateKey: KeyObject;
}

/** Reads a key; a relative path starts in `baseDir`. The error says in words for the user what is wrong with which file. */
export async function openSigningKey(
  { file, kid, jku }: SigningKeySettings,
  baseDir: string,
): Promise<SigningKey> {
  const path = resolve(baseDir, file);
  const privateKey = privateKeyOf(await textOf(path), path);
  const algorithm = algorithmOf(privateKey);
  if (algorithm === undefined) throw new Error(`${path}: expected ${KNOWN_KEYS}`);
  return { kid, algorithm, privateKey, ...(jku !== undefined && { jku }) };
}

/** The public half (RFC 7517). */
export function jwkOf({ kid, algorithm, privateKey }: SigningKey): JsonWebKey {
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });
  return { ...jwk, kid, alg: algorithm, use: "sig" };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Error(`${path}: ${whyUnreadable(cause)}`, { cause });
  }
}

function privateKeyOf(pem: string, path: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED /m.test(pem))
    throw new Error(`${path}: expected a key without a passphrase`);
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(`${path}: expected a private key in PEM`, { cause });
  }
}
