/** As much of JSON Schema as the description of the Admin API uses; a keyword that is not known here fails. */
type Schema = Readonly<Record<string, unknown>>;

/** What does not fit, in words; empty when all does. `schemas` are those that `$ref` names. */
export function misfits(
  value: unknown,
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  path = "$",
): readonly string[] {
  return Object.keys(schema).flatMap((keyword) => {
    const check = CHECKS[keyword];
    if (check === undefined) return [`${path}: keyword ${keyword} is not known`];
    return check({ value, schema, schemas, path });
  });
}

interface Place {
  readonly value: unknown;
  readonly schema: Schema;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly path: string;
}

const none = (): readonly string[] => [];

const CHECKS: Readonly<Record<string, (place: Place) => readonly string[]>> = {
  description: none,
  default: none,
  $ref({ value, schema, schemas, path }) {
    const name = String(schema["$ref"]).replace("#/components/schemas/", "");
    const target = schemas[name];
    return target === undefined
      ? [`${path}: no schema ${name}`]
      : misfits(value, target, schemas, path);
  },
  type: ({ value, schema, path }) =>
    typeOf(value) === schema["type"]
      ? []
      : [`${path}: ${typeOf(value)}, not ${schema["type"] as string}`],
  enum: ({ value, schema, path }) =>
    (schema["enum"] as unknown[]).includes(value) ? [] : [`${path}: ${String(value)} is no choice`],
  format: ({ value, path }) =>
    new Date(String(value)).toISOString() === value
      ? []
      : [`${path}: ${String(value)} is no instant`],
  pattern: ({ value, schema, path }) =>
    new RegExp(String(schema["pattern"])).test(String(value)) ? [] : [`${path}: ${String(value)}`],
  minLength: ({ value, schema, path }) =>
    String(value).length >= Number(schema["minLength"]) ? [] : [`${path}: too short`],
  maxLength: ({ value, schema, path }) =>
    String(value).length <= Number(schema["maxLength"]) ? [] : [`${path}: too long`],
  minimum: ({ value, schema, path }) =>
    Number(value) >= Number(schema["minimum"]) ? [] : [`${path}: too small`],
  maximum: ({ value, schema, path }) =>
    Number(value) <= Number(schema["maximum"]) ? [] : [`${path}: too large`],
  items: ({ value, schema, schemas, path }) =>
    (value as unknown[]).flatMap((item, index) =>
      misfits(item, schema["items"] as Schema, schemas, `${path}[${index}]`),
    ),
  properties: ({ value, schema, schemas, path }) =>
    Object.entries(schema["properties"] as Record<string, Schema>).flatMap(([name, inner]) =>
      Object.hasOwn(value as object, name)
        ? misfits((value as Schema)[name], inner, schemas, `${path}.${name}`)
        : [],
    ),
  required: ({ value, schema, path }) =>
    (schema["required"] as string[])
      .filter((name) => !Object.hasOwn(value as object, name))
      .map((name) => `${path}: ${name} is missing`),
  additionalProperties: ({ value, schema, path }) =>
    Object.keys(value as object)
      .filter((name) => !Object.hasOwn((schema["properties"] ?? {}) as object, name))
      .map((name) => `${path}: ${name} is not known`),
};

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return value === null ? "null" : typeof value;
}
