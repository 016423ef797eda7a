/** Schemas of what the Admin API answers: the JSON Schema for its description, and the type that an answer must have. */
import type { JsonObject } from "../../protocol/json.ts";

export interface Schema<T> {
  readonly json: JsonObject;
  /** The schemas that `json` refers to by their names. */
  readonly named: ReadonlyMap<string, JsonObject>;
  /** Never there at run time: keeps the type of what fits. */
  readonly type?: T;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;
type Members = Readonly<Record<string, Schema<unknown>>>;
type Fits<R extends Members, O extends Members> = {
  readonly [K in keyof R]: TypeOf<R[K]>;
} & { readonly [K in keyof O]?: TypeOf<O[K]> | undefined };

export function text(description: string): Schema<string> {
  return plain({ type: "string", description });
}

export function flag(description: string): Schema<boolean> {
  return plain({ type: "boolean", description });
}

export function integer(description: string): Schema<number> {
  return plain({ type: "integer", description });
}

/** An instant as ISO 8601 in UTC with milliseconds. */
export function instant(description: string): Schema<string> {
  return plain({ type: "string", format: "date-time", description });
}

export function oneOf<const T extends string>(
  values: readonly T[],
  description: string,
): Schema<T> {
  return plain({ type: "string", enum: values, description });
}

/** An object that somebody else describes. */
export function anyObject(description: string): Schema<object> {
  return plain({ type: "object", description });
}

export function list<T>(items: Schema<T>): Schema<readonly T[]> {
  return { json: { type: "array", items: items.json }, named: items.named };
}

/** An object with these members; `optional` ones are left out where they are undefined. */
export function object<R extends Members, O extends Members = Readonly<Record<never, never>>>(
  required: R,
  optional?: O,
): Schema<Fits<R, O>> {
  const members = Object.entries({ ...required, ...optional });
  return {
    json: {
      type: "object",
      properties: Object.fromEntries(members.map(([name, { json }]) => [name, json])),
      required: Object.keys(required),
      additionalProperties: false,
    },
    named: new Map(members.flatMap(([, { named }]) => [...named])),
  };
}

/** The same schema under a name, by which others refer to it. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return {
    json: { $ref: `#/components/schemas/${name}` },
    named: new Map([...schema.named, [name, schema.json]]),
  };
}

/** What an answer without a body has. */
export const NOTHING: Schema<undefined> = plain({});

function plain<T>(json: JsonObject): Schema<T> {
  return { json, named: new Map() };
}

/** Milliseconds since the epoch as `instant` wants it. */
export function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}
