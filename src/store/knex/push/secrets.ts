/**
 * The secrets of a webhook as they are kept: encrypted with AES-256-GCM when there is a key, bound to their webhook so
 * that they cannot be moved to another one. The text says how it was written, so that keys can be changed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PushConfig, PushConfigKey } from "../../../core/ports/push-store.ts";

export type Secrets = Pick<PushConfig, "token" | "authentication">;

export interface SecretBox {
  /** The text to be kept; null where there is nothing to hide. */
  seal(key: PushConfigKey, secrets: Secrets): string | null;
  /** What was sealed; undefined when no key opens it. */
  open(key: PushConfigKey, text: string | null): Secrets | undefined;
}

const NONE: Secrets = { token: undefined, authentication: undefined };

/** What encrypted text begins with; text without encryption is a JSON object and begins with a brace. */
const VERSION = "1:";
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The first key encrypts, all of them decrypt; without a key texts are written as they are. Throws for a key that is
 * not of 32 bytes.
 */
export function createSecretBox(keys: readonly Uint8Array[]): SecretBox {
  if (keys.some(({ byteLength }) => byteLength !== KEY_BYTES))
    throw new Error(`a key of the store is not of ${KEY_BYTES} bytes`);
  const [first] = keys;
  return {
    seal(key, { token, authentication }) {
      if (token === undefined && authentication === undefined) return null;
      const text = JSON.stringify({ token, authentication });
      return first === undefined ? text : VERSION + encrypted(first, contextOf(key), text);
    },
    open(key, text) {
      if (text === null) return NONE;
      if (!text.startsWith(VERSION)) return secretsOf(text);
      const sealed = Buffer.from(text.slice(VERSION.length), "base64");
      for (const candidate of keys) {
        const opened = decrypted(candidate, contextOf(key), sealed);
        if (opened !== undefined) return secretsOf(opened);
      }
      return undefined;
    },
  };
}

function contextOf({ taskId, id }: PushConfigKey): Buffer {
  return Buffer.from(JSON.stringify([taskId, id]));
}

function encrypted(key: Uint8Array, context: Buffer, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(context);
  const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64");
}

/** Undefined when the key is another one, or the text is not what was written. */
function decrypted(key: Uint8Array, context: Buffer, sealed: Buffer): string | undefined {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const end = sealed.byteLength - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context).setAuthTag(sealed.subarray(end));
  try {
    return (
      decipher.update(sealed.subarray(NONCE_BYTES, end), undefined, "utf8") + decipher.final("utf8")
    );
  } catch {
    return undefined;
  }
}

/** Undefined for what is not JSON: a version that this one does not know. */
function secretsOf(text: string): Secrets | undefined {
  try {
    const { token, authentication } = JSON.parse(text) as Partial<Secrets>;
    return { token, authentication };
  } catch {
    return undefined;
  }
}
