import { randomBytes, scryptSync } from "node:crypto";

/** A hash that is checked fast. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const text = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
  return `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
}
