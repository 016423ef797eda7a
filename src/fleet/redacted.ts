/** Definitions as they may be shown: without what only the gateway is to know. */
import type { JsonObject, JsonValue } from "../protocol/json.ts";

const HIDDEN = "(hidden)";

/** Members whose texts are secrets, wherever they stand; below them every text is. */
const SECRET = /^(?:auth|headers|password|token|secret|bearer|basic|apiKey|oauth2|env)$/i;

/** Members below a secret one that say where the secret is, or whose it is. */
const OPEN: ReadonlySet<string> = new Set([
  "file",
  "username",
  "name",
  "tokenUrl",
  "clientId",
  "audience",
]);

/** What stands for a variable of the environment is no secret. */
const VARIABLE = /^\$\{[^}]*\}$/;

export function redacted(definition: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(definition).map(([name, value]) => [name, within(value, SECRET.test(name))]),
  );
}

function within(value: JsonValue, isSecret: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((each) => within(each, isSecret));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        within(each, SECRET.test(name) || (isSecret && !OPEN.has(name))),
      ]),
    );
  return isSecret && typeof value === "string" && !VARIABLE.test(value) ? HIDDEN : value;
}
