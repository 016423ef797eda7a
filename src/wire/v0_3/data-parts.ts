/**
 * Data parts hold any JSON value in 1.0 and only objects in 0.3. Other values travel as `{"value": …}`, marked in the
 * part's metadata; the SDKs' own translations between the versions use the same mark.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../schema/objects.ts";

const MARK = "data_part_compat";

export interface DataPart<T extends JsonValue> {
  readonly data: T;
  readonly metadata?: JsonObject;
}

/** A value of 1.0 as an object of 0.3. */
export function wrapped(value: JsonValue, metadata?: JsonObject): DataPart<JsonObject> {
  if (isJsonObject(value))
    return metadata === undefined ? { data: value } : { data: value, metadata };
  return { data: { value }, metadata: { ...metadata, [MARK]: true } };
}

/** An object of 0.3 as the value of 1.0 that it stands for. */
export function unwrapped(data: JsonObject, metadata?: JsonObject): DataPart<JsonValue> {
  if (metadata === undefined) return { data };
  const { value } = data;
  if (metadata[MARK] !== true || value === undefined) return { data, metadata };
  const { [MARK]: _, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? { data: value } : { data: value, metadata: rest };
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
