/** How members of JSON objects are read: what is wrong with one is a violation under its name; null is the same as absent. */
import type { Draft } from "../draft.ts";
import { stringType } from "../../schema/scalars.ts";
import { isObject } from "../../schema/objects.ts";
import { kindOf, quoted, type Violations } from "../../schema/violations.ts";

export type JsonMembers = Readonly<Record<string, unknown>>;

/** The value that the JSON stands for; undefined after a violation was added. */
export type Read<T> = (json: unknown, violations: Violations) => T | undefined;

export function optional<T>(
  object: JsonMembers,
  name: string,
  read: Read<T>,
  violations: Violations,
): T | undefined {
  const json = object[name];
  if (json === undefined || json === null) return undefined;
  const before = violations.count;
  const value = read(json, violations);
  if (violations.count > before) violations.prefix(before, name);
  return value;
}

/** Something missing is a violation, but in lenient mode. */
export function required<T>(
  object: JsonMembers,
  name: string,
  read: Read<T>,
  violations: Violations,
): T | undefined {
  const json = object[name];
  if ((json === undefined || json === null) && !violations.lenient)
    violations.add("is required", name);
  return optional(object, name, read, violations);
}

/** Puts a member into the model that was given; one that was not stays absent. */
export function put<T, K extends keyof T>(model: Draft<T>, name: K, value: T[K] | undefined): void {
  if (value !== undefined) model[name] = value;
}

/** Text that says something; empty text counts as not given. */
export function textOf(
  object: JsonMembers,
  name: string,
  violations: Violations,
): string | undefined {
  const text = optional(object, name, stringType.fromJson, violations);
  return text === "" ? undefined : text;
}

/** Text that must be there and not be empty. */
export const filledText: Read<string> = (json, violations) => {
  const text = stringType.fromJson(json, violations);
  if (text === "" && !violations.lenient) violations.add("must not be empty");
  return text;
};

export function oneOf<T>(values: ReadonlyMap<string, T>): Read<T> {
  const names = [...values.keys()].join(", ");
  return (json, violations) => {
    const value = typeof json === "string" ? values.get(json) : undefined;
    if (value === undefined && !violations.lenient)
      violations.add(`must be one of ${names}, not ${quoted(json)}`);
    return value;
  };
}

export function members(json: unknown, violations: Violations): JsonMembers | undefined {
  if (isObject(json)) return json;
  violations.add(`must be an object, not ${kindOf(json)}`);
  return undefined;
}

/** A list; one with wrong items is a shorter one. */
export function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (json, violations) => {
    if (!Array.isArray(json)) {
      violations.add(`must be an array, not ${kindOf(json)}`);
      return undefined;
    }
    const list: T[] = [];
    for (const [index, item] of json.entries()) {
      const before = violations.count;
      const value = read(item, violations);
      if (violations.count > before) violations.prefix(before, `[${index}]`);
      if (value !== undefined) list.push(value);
      if (violations.full) break;
    }
    return list;
  };
}

/** A list that says something; an empty one counts as not given. */
export function filledListOf<T>(read: Read<T>): Read<readonly T[]> {
  const list = listOf(read);
  return (json, violations) => {
    const values = list(json, violations);
    return values?.length === 0 ? undefined : values;
  };
}
