/** What callers hold, under the names that the card gives to the ways of letting callers in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const WAYS = ["mtls", "apiKey", "basic", "jwt", "oidc", "introspection"];

export function callersIn(folder) {
  return JSON.parse(readFileSync(join(folder, "callers.json"), "utf8"));
}
