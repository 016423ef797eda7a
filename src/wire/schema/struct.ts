/** google.protobuf.Struct and Value: in the model, plain JSON. */
import { isObject } from "./objects.ts";
import {
  DEEPEST,
  readStruct,
  readValue,
  TOO_DEEP,
  writeStruct,
  writeValue,
} from "./struct-proto.ts";
import { DELIMITED, type ValueType } from "./value-type.ts";
import { kindOf, type Violations } from "./violations.ts";

/** Taken over as it is, not copied: a parsed body belongs to nobody else. */
export const structType: ValueType<Record<string, unknown>> = {
  wireType: DELIMITED,
  zero: undefined,
  mustDiffer: false,
  takesNull: false,
  fromJson(json, violations) {
    if (isObject(json)) return checked(json, violations);
    violations.add(`must be an object, not ${kindOf(json)}`);
    return undefined;
  },
  write: writeStruct,
  read: (reader, violations) => readStruct(reader, violations, 1),
};

export const valueType: ValueType<unknown> = {
  wireType: DELIMITED,
  zero: undefined,
  mustDiffer: false,
  takesNull: true,
  fromJson: checked,
  write: writeValue,
  read: (reader, violations) => readValue(reader, violations, 1),
};

function checked<T>(json: T, violations: Violations): T | undefined {
  const fault = faultOf(json, 1);
  if (fault === undefined) return json;
  violations.add(fault);
  return undefined;
}

/** Why this is not a JSON value of bearable depth; undefined when it is one. */
function faultOf(value: unknown, depth: number): string | undefined {
  if (typeof value === "object" && value !== null) {
    if (depth > DEEPEST) return TOO_DEEP;
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      const fault = faultOf(item, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  return "holds something that JSON cannot express";
}
