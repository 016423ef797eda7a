/** A message compiled from its shape: one list of fields, walked once per message and direction. */
import { compileField, type Field, type Model } from "./field.ts";
import { isObject } from "./objects.ts";
import type { ProtoReader } from "./proto-reader.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import type { FieldShape, MessageShape } from "./shapes.ts";
import { DELIMITED, type ValueType } from "./value-type.ts";
import { kindOf, type Violations } from "./violations.ts";

export interface MessageType extends ValueType<Model> {
  readonly fields: readonly Field[];
  fromQuery(query: URLSearchParams, violations: Violations): Model;
  /** The message's fields without the length before them. */
  writeBody(model: Model, writer: ProtoWriter): void;
  /** Reads fields to the end of what the reader has entered. */
  readBody(reader: ProtoReader, violations: Violations): Model;
}

interface Oneof {
  readonly members: readonly Field[];
  readonly required: boolean;
}

/** `typeOf` gives the type of a field, compiled before this one: no message of A2A holds itself. */
export function compileMessage(
  shape: MessageShape,
  typeOf: (field: FieldShape) => ValueType<unknown>,
): MessageType {
  const compiled = new Map(
    shape.fields.map((field) => [field, compileField(field, typeOf(field))]),
  );
  const fields = [...compiled.values()];
  const required = fields.filter((field) => field.required);
  const oneofs = shape.oneofs.map((oneof) => ({
    members: oneof.members.flatMap((member) => compiled.get(member) ?? []),
    required: oneof.required,
  }));
  const byTag = new Map(fields.map((field) => [field.tag, field]));
  const siblings = siblingsOf(oneofs);

  function complete(model: Model, violations: Violations): Model {
    for (const field of required) completeField(field, model, violations);
    for (const oneof of oneofs) checkOneof(oneof, model, violations);
    return model;
  }

  function writeBody(model: Model, writer: ProtoWriter): void {
    for (const field of fields) {
      const value = model[field.jsonName];
      if (value === undefined || (value === null && !field.type.takesNull)) continue;
      field.write(value, writer);
    }
  }

  function readBody(reader: ProtoReader, violations: Violations): Model {
    const model: Model = {};
    while (!reader.done) {
      const tag = reader.uint32();
      const field = byTag.get(tag);
      if (field === undefined) {
        reader.skip(tag & 7);
        continue;
      }
      field.readInto(model, reader, violations);
      // The last one wins, of a field sent twice and of a oneof's members; no writer sends a message in two halves.
      if (
        field.cardinality === "single" &&
        !field.required &&
        field.isNothing(model[field.jsonName])
      )
        delete model[field.jsonName];
      for (const sibling of siblings.get(field) ?? []) delete model[sibling.jsonName];
    }
    return complete(model, violations);
  }

  return {
    wireType: DELIMITED,
    zero: undefined,
    mustDiffer: false,
    takesNull: false,
    fields,
    fromJson(json, violations) {
      if (!isObject(json)) {
        violations.add(`must be an object, not ${kindOf(json)}`);
        return undefined;
      }
      const model: Model = {};
      for (const field of fields) {
        const value = memberOf(json, field);
        if (value === undefined) continue;
        const before = violations.count;
        const decoded = field.fromJson(value, violations);
        if (violations.count > before) violations.prefix(before, field.jsonName);
        // What is undefined was there, but wrong: it is not missing as well.
        if (decoded === undefined || field.required || !field.isNothing(decoded))
          model[field.jsonName] = decoded;
      }
      return complete(model, violations);
    },
    fromQuery(query, violations) {
      const model: Model = {};
      for (const field of fields) readParameter(field, query, model, violations);
      return complete(model, violations);
    },
    write(model, writer) {
      const start = writer.begin();
      writeBody(model, writer);
      writer.end(start);
    },
    read(reader, violations) {
      const outer = reader.enter();
      const model = readBody(reader, violations);
      reader.leave(outer);
      return model;
    },
    writeBody,
    readBody,
  };
}

/** A field's value under its JSON name or else its protobuf name; null means "not set" but where it is a value. */
function memberOf(json: Record<string, unknown>, field: Field): unknown {
  const value = json[field.jsonName];
  if (value !== undefined && (value !== null || field.type.takesNull)) return value;
  const other = json[field.protoName];
  return other === null && !field.type.takesNull ? undefined : other;
}

function readParameter(
  field: Field,
  query: URLSearchParams,
  model: Model,
  violations: Violations,
): void {
  const { jsonName, protoName, type } = field;
  if (field.cardinality !== "single" || type.fromText === undefined) return;
  const given = query.getAll(jsonName);
  if (protoName !== jsonName) given.push(...query.getAll(protoName));
  const [text] = given;
  if (text === undefined || (text === "" && given.length === 1)) return;
  const before = violations.count;
  if (given.length > 1) violations.add("is given more than once");
  const value = given.length > 1 ? undefined : type.fromText(text, violations);
  if (violations.count > before) violations.prefix(before, jsonName);
  if (value === undefined || !field.isNothing(value)) model[jsonName] = value;
}

function completeField(field: Field, model: Model, violations: Violations): void {
  const { jsonName } = field;
  const value = model[jsonName];
  if (value === undefined) {
    if (jsonName in model) return;
    const missing = field.missing(violations);
    if (missing !== undefined) model[jsonName] = missing;
    else if (!violations.lenient) violations.add("is required", jsonName);
  } else if (!violations.lenient && field.isBlank(value)) {
    const { zero } = field.type;
    const enumZero = typeof zero === "string" && zero !== "";
    violations.add(enumZero ? `must not be ${zero}` : "must not be empty", jsonName);
  }
}

function checkOneof(oneof: Oneof, model: Model, violations: Violations): void {
  let set = 0;
  for (const { jsonName } of oneof.members) if (jsonName in model) set++;
  if (set === 1 || (set === 0 && (!oneof.required || violations.lenient))) return;
  const names = oneof.members.map(({ jsonName }) => jsonName);
  violations.add(
    set === 0
      ? `must have one of ${names.join(", ")}`
      : `must have only one of ${names.filter((name) => name in model).join(", ")}`,
  );
}

function siblingsOf(oneofs: readonly Oneof[]): ReadonlyMap<Field, readonly Field[]> {
  return new Map(
    oneofs.flatMap(({ members }) =>
      members.map((member) => [member, members.filter((other) => other !== member)] as const),
    ),
  );
}
