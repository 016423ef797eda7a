import type { Config } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { pathText } from "./path.ts";
import { secretText } from "./secret-text.ts";

const BYTES = 32;

/** The keys for what is kept secret in the database. Throws a ConfigError for what is no key of 32 bytes. */
export async function encryptionKeysOf(config: Config): Promise<readonly Uint8Array[]> {
  const keys: Uint8Array[] = [];
  for (const [index, written] of config.push.encryptionKeys.entries()) {
    const path = ["push", "encryptionKeys", index];
    const key = keyOf(await secretText(config, path, written));
    if (key === undefined) {
      const what = `expected ${BYTES} bytes, in base64 or hexadecimal`;
      throw new ConfigError([{ where: config.whereOf(path), path: pathText(path), what }]);
    }
    keys.push(key);
  }
  return keys;
}

function keyOf(text: string): Uint8Array | undefined {
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length === BYTES ? key : undefined;
}
