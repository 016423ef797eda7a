import type { JsonValue } from "../../protocol/json.ts";

/** `Array.isArray` knows nothing of lists that are not to be changed. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
