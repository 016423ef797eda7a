/** Callers of the guarded gateway: what they bring, and what its configuration knows of them. */
import { createHash, scryptSync } from "node:crypto";
import type { Headers } from "./world.ts";

const ALICE = "alice-0123456789abcdef0123456789abcdef";
const BOB = "bob-0123456789abcdef0123456789abcdef";

/** Alice may do everything, Bob may read, Carol nothing; what is no credential comes often enough. */
export const CREDENTIALS: readonly Headers[] = [
  { "X-Api-Key": ALICE },
  { "X-Api-Key": ALICE },
  { "X-Api-Key": ALICE },
  { "X-Api-Key": ALICE },
  { "X-Api-Key": BOB },
  { "X-Api-Key": BOB },
  {},
  { "X-Api-Key": "" },
  { "X-Api-Key": `${ALICE}x` },
  { "X-Api-Key": "a2agw_x" },
  { Authorization: `Basic ${Buffer.from("carol:carol").toString("base64")}` },
  { Authorization: "Basic" },
  { Authorization: "Bearer a.b.c" },
  { Authorization: "\u007f=" },
];

/** What guarded.yaml takes from the environment. */
export function environmentOf(): Readonly<Record<string, string>> {
  return { FUZZ_ALICE: sha256(ALICE), FUZZ_BOB: sha256(BOB), FUZZ_CAROL: scryptOf("carol") };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** In the PHC string format. */
function scryptOf(password: string): string {
  const salt = Buffer.from("0123456789abcdef");
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const text = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
}
