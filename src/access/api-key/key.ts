/**
 * API keys as this gateway makes them: a prefix by which scanners find one that has leaked, 256 random bits, and a
 * checksum by which a key that was copied badly is told from one that is unknown without looking it up.
 */
import { createHash, randomBytes } from "node:crypto";

const PREFIX = "a2agw_";

/** Of 256 bits, and of the 32 bits of the checksum, in base64url. */
const FORM = /^a2agw_([\w-]{43})([\w-]{6})$/;

/** A new key. Only its hash is to be kept. */
export function newKey(): string {
  const random = randomBytes(32).toString("base64url");
  return `${PREFIX}${random}${checksumOf(random)}`;
}

/** What a key is known by: its SHA-256, as 64 hexadecimal digits in lower case. */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Whether a text has the prefix of our keys and is none of them. */
export function isDamaged(key: string): boolean {
  if (!key.startsWith(PREFIX)) return false;
  const [, random = "", checksum = ""] = FORM.exec(key) ?? [];
  return checksum === "" || checksumOf(random) !== checksum;
}

/** A key that is shorter might be guessed. */
const MIN_LENGTH = 32;

/** What keeps a text from being a key that the configuration may know; undefined when nothing does. */
export function keyProblem(key: string): string | undefined {
  if (isDamaged(key)) return "expected a whole key: this one was cut or changed";
  return key.length < MIN_LENGTH
    ? `expected a key of at least ${MIN_LENGTH} characters`
    : undefined;
}

function checksumOf(random: string): string {
  const digest = createHash("sha256")
    .update(PREFIX + random)
    .digest();
  return digest.subarray(0, 4).toString("base64url");
}
