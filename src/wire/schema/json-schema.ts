/**
 * Messages as JSON Schema, in which OpenAPI 3.1 describes bodies and parameters. What is answered is in canonical form;
 * what may be asked is described as it is taken: ProtoJSON has integers as text, enum values as numbers, and null for
 * what is not set.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { FieldKind, FieldShape, MessageShape } from "./shapes.ts";

export type Side = "request" | "answer";

export interface Described {
  readonly json: JsonObject;
  /** The schemas that `json` refers to by their names. */
  readonly named: ReadonlyMap<string, JsonObject>;
}

type ShapeOf = (name: string) => MessageShape;

/** A reference to the message of that full name, and what it refers to. */
export function messageSchemaOf(shapeOf: ShapeOf, name: string, side: Side): Described {
  const named = new Map<string, JsonObject>();
  return { json: new Writer(shapeOf, side, named).reference(name), named };
}

/** The body of a request without the members of these names, which stand elsewhere in it. */
export function bodySchemaOf(
  { shapeOf, name }: { readonly shapeOf: ShapeOf; readonly name: string },
  omitted: ReadonlySet<string>,
): Described & { readonly isRequired: boolean } {
  const named = new Map<string, JsonObject>();
  const shape = withoutMembers(shapeOf(name), omitted);
  const isRequired = shape.fields.some(({ required }) => required);
  const json = new Writer(shapeOf, "request", named).object(shape);
  return { json: isRequired ? json : orNull(json), named, isRequired };
}

export interface QueryParameter {
  readonly name: string;
  readonly json: JsonObject;
}

/** The members that a query can hold. An empty one counts as not given. */
export function querySchemasOf(
  shape: MessageShape,
  omitted: ReadonlySet<string>,
): readonly QueryParameter[] {
  return withoutMembers(shape, omitted).fields.flatMap(({ jsonName, type, cardinality }) => {
    const json = cardinality === "single" ? parameterSchemaOf(type) : undefined;
    return json === undefined ? [] : [{ name: jsonName, json }];
  });
}

function withoutMembers(shape: MessageShape, omitted: ReadonlySet<string>): MessageShape {
  return { ...shape, fields: shape.fields.filter(({ jsonName }) => !omitted.has(jsonName)) };
}

const EMPTY: JsonObject = { const: "" };

function parameterSchemaOf(type: FieldKind): JsonObject | undefined {
  switch (type.kind) {
    case "scalar":
      if (type.name === "string") return { type: "string" };
      if (type.name === "bool") return { enum: ["true", "false", ""] };
      return type.name === "bytes" ? undefined : { anyOf: [integerOf(type.name), EMPTY] };
    case "enum":
      return { enum: [...type.values.keys(), ...[...type.values.values()].map(String), ""] };
    case "message":
      return type.name === TIMESTAMP ? { anyOf: [TIME, EMPTY] } : undefined;
  }
}

const VALUE = "google.protobuf.Value";
const TIMESTAMP = "google.protobuf.Timestamp";
const TIME: JsonObject = { type: "string", format: "date-time" };
const BASE64 = "^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$";

const WELL_KNOWN: Readonly<Record<string, JsonObject>> = {
  [TIMESTAMP]: TIME,
  "google.protobuf.Struct": { type: "object" },
  [VALUE]: {},
  "google.protobuf.Duration": { type: "string", pattern: "^-?\\d+(?:\\.\\d{1,9})?s$" },
};

function integerOf(name: "int32" | "int64"): JsonObject {
  const most = name === "int32" ? 2 ** 31 : Number.MAX_SAFE_INTEGER + 1;
  return { type: "integer", minimum: name === "int32" ? -most : 1 - most, maximum: most - 1 };
}

/** Writes the schemas of one side, and keeps those of messages under their names. */
class Writer {
  readonly #shapeOf: ShapeOf;
  readonly #side: Side;
  readonly #named: Map<string, JsonObject>;

  constructor(shapeOf: ShapeOf, side: Side, named: Map<string, JsonObject>) {
    this.#shapeOf = shapeOf;
    this.#side = side;
    this.#named = named;
  }

  reference(name: string): JsonObject {
    const key = this.#side === "answer" ? name : `${name}.request`;
    if (!this.#named.has(key)) {
      this.#named.set(key, {});
      this.#named.set(key, this.object(this.#shapeOf(name)));
    }
    return { $ref: `#/components/schemas/${key}` };
  }

  object({ fields, oneofs }: MessageShape): JsonObject {
    const alternatives = oneofs.filter((oneof) => oneof.required);
    const required = fields.filter((field) => field.required);
    return {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, this.#member(field)])),
      ...(required.length > 0 && { required: required.map(({ jsonName }) => jsonName) }),
      ...(alternatives.length > 0 && {
        allOf: alternatives.map(({ members }) => ({
          oneOf: members.map((each) => this.#set(each)),
        })),
      }),
    };
  }

  /** What an object must have for a member to be set. */
  #set({ jsonName, type }: FieldShape): JsonObject {
    const takesNull = type.kind === "message" && type.name === VALUE;
    if (this.#side === "answer" || takesNull) return { required: [jsonName] };
    return { required: [jsonName], properties: { [jsonName]: { not: { type: "null" } } } };
  }

  #member({ type, cardinality, required }: FieldShape): JsonObject {
    const isRequest = this.#side === "request";
    const one = this.#value(type, isRequest && required && cardinality === "single");
    const json = collected(one, cardinality, isRequest && required);
    return isRequest && !required ? orNull(json) : json;
  }

  /** @param isFilled whether the zero value is not enough */
  #value(type: FieldKind, isFilled: boolean): JsonObject {
    const isRequest = this.#side === "request";
    switch (type.kind) {
      case "scalar":
        return scalarOf(type.name, { isRequest, isFilled });
      case "enum": {
        const values = [...type.values].filter(([, number]) => !isFilled || number !== 0);
        const names: readonly JsonValue[] = values.map(([name]) => name);
        const numbers = values.flatMap(([, number]) => [number, String(number)]);
        return { enum: isRequest ? [...names, ...numbers] : names };
      }
      case "message":
        return WELL_KNOWN[type.name] ?? this.reference(type.name);
    }
  }
}

type ScalarName = Extract<FieldKind, { kind: "scalar" }>["name"];

function scalarOf(
  name: ScalarName,
  { isRequest, isFilled }: { readonly isRequest: boolean; readonly isFilled: boolean },
): JsonObject {
  switch (name) {
    case "string":
      return { type: "string", ...(isFilled && { minLength: 1 }) };
    case "bool":
      return { type: "boolean" };
    case "bytes":
      return { type: "string", contentEncoding: "base64", ...(isRequest && { pattern: BASE64 }) };
    case "int32":
    case "int64":
      return isRequest
        ? { anyOf: [integerOf(name), { type: "string", pattern: "^-?[0-9]+$" }] }
        : integerOf(name);
  }
}

function collected(
  one: JsonObject,
  cardinality: FieldShape["cardinality"],
  isFilled: boolean,
): JsonObject {
  switch (cardinality) {
    case "single":
      return one;
    case "repeated":
      return { type: "array", items: one, ...(isFilled && { minItems: 1 }) };
    case "map":
      return { type: "object", additionalProperties: one };
  }
}

function orNull(json: JsonObject): JsonObject {
  const { type } = json;
  if (typeof type === "string") return { ...json, type: [type, "null"] };
  return Object.keys(json).length === 0 ? json : { anyOf: [json, { type: "null" }] };
}
