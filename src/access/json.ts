import type { JsonObject, JsonValue } from "../protocol/json.ts";

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
