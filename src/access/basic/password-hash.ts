/** Passwords as they may be kept: scrypt in the string format of the Password Hashing Competition. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";

/** What a password costs to check: 2^ln steps over blocks of r, p times. */
export interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

export interface PasswordHash extends Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 32 MiB of memory, and a tenth of a second. */
export const USUAL_COST: Cost = { ln: 15, r: 8, p: 3 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** What a hash may ask of the gateway's memory and time. */
const MAX_MEMORY = 256 * 1024 * 1024;
const MAX_PARALLEL = 16;
const MIN_LN = 10;

/** The text that stands for a password in the configuration; a different one each time. */
export async function hashPassword(password: string): Promise<string> {
  const { ln, r, p } = USUAL_COST;
  const salt = randomBytes(SALT_BYTES);
  const hash = await derived(password, { ...USUAL_COST, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
}

const FORM =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{22,86})$/;

/** Undefined for a text that is no such hash, or one that would cost too much or nothing. */
export function passwordHashOf(text: string): PasswordHash | undefined {
  const [whole, ln, r, p, salt = "", hash = ""] = FORM.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const cost: Cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln < MIN_LN || cost.r < 1 || cost.p < 1 || cost.p > MAX_PARALLEL) return undefined;
  if (memoryOf(cost) > MAX_MEMORY) return undefined;
  return { ...cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/** Takes as long for a wrong password as for the right one. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derived(password, expected), expected.hash);
}

/** A hash of that cost that no password is known to have. */
export function unmatchableHash({ ln, r, p }: Cost): PasswordHash {
  return { ln, r, p, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
}

/** One form for passwords that look alike (RFC 8265, 4.2.2). */
function derived(password: string, { ln, r, p, salt, hash }: PasswordHash): Promise<Buffer> {
  const options: ScryptOptions = {
    N: 2 ** ln,
    r,
    p,
    // Node asks for somewhat more than the blocks take.
    maxmem: memoryOf({ ln, r, p }) + 128 * r * p + 1024 * 1024,
  };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, hash.length, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function memoryOf({ ln, r }: Cost): number {
  return 128 * r * 2 ** ln;
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
