import { hash } from "node:crypto";

/** What stands for a text that is not to be kept, or may be of any length: its SHA-256. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}
