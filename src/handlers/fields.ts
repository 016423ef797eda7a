/** Reads members of JSON that an agent wrote. What is wrong is INVALID_AGENT_RESPONSE, with the path of the member. */
import { A2AError } from "../protocol/errors.ts";
import type { JsonObject, JsonValue } from "../protocol/json.ts";

/** What nests deeper could neither be stored nor sent. */
const MAX_DEPTH = 100;

export type Fields = { readonly [name: string]: unknown };

/** The path of a member; a path that is a prefix such as `line 3: ` is continued without a dot. */
export function at(path: string, name: string): string {
  return path === "" || path.endsWith(": ") ? path + name : `${path}.${name}`;
}

export function wrong(path: string, description: string): A2AError {
  const separator = path === "" || path.endsWith(": ") ? "" : ": ";
  return new A2AError(
    "INVALID_AGENT_RESPONSE",
    `the agent's answer is invalid: ${path}${separator}${description}`,
  );
}

/** A member by its JSON name or its protobuf name; null is undefined (ProtoJSON). */
export function member(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[snakeNames.get(name) ?? name] ?? undefined;
}

const snakeNames: ReadonlyMap<string, string> = new Map(
  ["messageId", "referenceTaskIds", "artifactId", "lastChunk", "mediaType"].map((name) => [
    name,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
);

export function fieldsOf(value: unknown, path: string): Fields {
  if (!isFields(value)) throw wrong(path, "expected an object");
  return value;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, "expected a list");
  return value;
}

export function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrong(path, "expected a text");
  return value;
}

/** A text that names something: ids and the like. */
export function nameOf(value: unknown, path: string): string {
  const name = textOf(value, path);
  if (name === "") throw wrong(path, "expected a text that is not empty");
  return name;
}

export function flagOf(value: unknown, path: string): boolean {
  if (typeof value !== "boolean") throw wrong(path, "expected true or false");
  return value;
}

export function textsOf(value: unknown, path: string): readonly string[] {
  return listOf(value, path).map((text, index) => textOf(text, `${path}[${index}]`));
}

export function jsonObjectOf(value: unknown, path: string): JsonObject {
  fieldsOf(value, path);
  return jsonOf(value, path) as JsonObject;
}

export function jsonOf(value: unknown, path: string): JsonValue {
  if (!isShallow(value, MAX_DEPTH)) throw wrong(path, `nests deeper than ${MAX_DEPTH} levels`);
  return value as JsonValue;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** The member under its own name, decoded, or nothing when it is absent: to be spread into the result. */
export function optional<N extends string, T>(
  fields: Fields,
  path: string,
  name: N,
  decode: (value: unknown, path: string) => T,
): { readonly [K in N]?: T } {
  const value = member(fields, name);
  if (value === undefined) return {};
  return { [name]: decode(value, at(path, name)) } as { readonly [K in N]?: T };
}
