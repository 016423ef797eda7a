/** Shapes of bodies that have objects and lists in them: the same JSON Schema describes a body and finds what is wrong with it. */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { Problem } from "./failure.ts";

export type Shape = TextShape | IntegerShape | ListShape | ObjectShape;

interface TextShape extends JsonObject {
  readonly type: "string";
  readonly description: string;
}

interface IntegerShape extends JsonObject {
  readonly type: "integer";
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
}

interface ListShape extends JsonObject {
  readonly type: "array";
  readonly description: string;
  readonly items: TextShape;
  readonly maxItems: number;
}

export interface ObjectShape extends JsonObject {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** Everything about a value that does not fit; `path` says where it stands. */
export function problemsOf(value: JsonValue, shape: Shape, path: string): readonly Problem[] {
  const wrong = (what: string): readonly Problem[] => [{ path, what }];
  switch (shape.type) {
    case "string":
      return typeof value === "string" ? [] : wrong("must be of type string");
    case "integer":
      return Number.isInteger(value) && isWithin(Number(value), shape)
        ? []
        : wrong(`must be a whole number from ${shape.minimum} to ${shape.maximum}`);
    case "array":
      if (!isList(value)) return wrong("must be of type array");
      if (value.length > shape.maxItems) return wrong(`must have at most ${shape.maxItems} items`);
      return value.flatMap((item, index) => problemsOf(item, shape.items, `${path}[${index}]`));
    case "object":
      return isObject(value) ? memberProblems(value, shape, path) : wrong("must be of type object");
  }
}

function memberProblems(
  object: JsonObject,
  { properties, required }: ObjectShape,
  path: string,
): readonly Problem[] {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const wrong = Object.entries(object).flatMap(([name, member]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return shape === undefined
      ? [{ path: at(name), what: "is not known here" }]
      : problemsOf(member, shape, at(name));
  });
  const missing = required.filter((name) => !Object.hasOwn(object, name));
  return [...wrong, ...missing.map((name) => ({ path: at(name), what: "is missing" }))];
}

function isWithin(value: number, { minimum, maximum }: IntegerShape): boolean {
  return value >= minimum && value <= maximum;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}
