import type { JsonObject, JsonValue } from "../protocol/json.ts";
import { isJsonObject } from "./json.ts";

/**
 * A claim by its whole name, in which there may be dots, or failing that by the names on the way to it:
 * `realm_access.roles`. Undefined for one that is not there.
 */
export function claimOf(claims: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: JsonValue | undefined = claims;
  for (const step of name.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}
