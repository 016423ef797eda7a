/**
 * A version's messages, read once from its .proto: how each is decoded and checked, and how it becomes protobuf and
 * back. The model is the message in canonical ProtoJSON: camelCase names, enums by name, bytes as standard base64,
 * times in UTC with milliseconds, nothing that is null or not set.
 */
import { A2AError } from "../protocol/errors.ts";
import { durationType } from "./schema/duration.ts";
import type { Model } from "./schema/field.ts";
import {
  bodySchemaOf,
  messageSchemaOf,
  querySchemasOf,
  type Described,
  type QueryParameter,
} from "./schema/json-schema.ts";
import { compileMessage, type MessageType } from "./schema/message-type.ts";
import { MalformedProto, ProtoReader } from "./schema/proto-reader.ts";
import { ProtoWriter } from "./schema/proto-writer.ts";
import {
  boolType,
  bytesType,
  enumType,
  int32Type,
  int64Type,
  stringType,
} from "./schema/scalars.ts";
import { loadShapes, type FieldShape, type MessageShape } from "./schema/shapes.ts";
import { structType, valueType } from "./schema/struct.ts";
import { timestampType } from "./schema/timestamp.ts";
import type { ValueType } from "./schema/value-type.ts";
import { Violations, type Mode } from "./schema/violations.ts";

/**
 * One message. What decodes throws INVALID_PARAMS with the path of every field that is wrong. Strict, the default,
 * also checks what is required; lenient lets missing texts, numbers and lists be empty and unknown enum values be
 * the unspecified one.
 */
export interface MessageSchema<T> {
  /** From parsed ProtoJSON, in camelCase or snake_case; fields that are not known are ignored. */
  decode(json: unknown, mode?: Mode): T;
  /** From query parameters (spec 11.5); an empty one counts as not given. */
  decodeQuery(query: URLSearchParams): T;
  toProto(model: T): Uint8Array;
  fromProto(bytes: Uint8Array, mode?: Mode): T;
  /** The tag that stands before a member of that JSON name, in protobuf. */
  tagOf(member: MemberName<T>): number;
  readonly description: MessageDescription;
}

/** What a message looks like in JSON and in a query. `omitted` are the JSON names of members that stand elsewhere. */
export interface MessageDescription {
  /** As it is answered. */
  readonly answer: () => Described;
  /** As it is taken. */
  body(omitted: ReadonlySet<string>): Described & { readonly isRequired: boolean };
  query(omitted: ReadonlySet<string>): readonly QueryParameter[];
}

/** The names of all members, of a union those of each alternative. */
type MemberName<T> = T extends unknown ? string & keyof T : never;

export interface Schema {
  /** The message of that full name, such as `lf.a2a.v1.Task`; throws when there is none. */
  message<T extends object>(name: string): MessageSchema<T>;
}

const WELL_KNOWN: ReadonlyMap<string, ValueType<unknown>> = new Map<string, ValueType<unknown>>([
  ["google.protobuf.Struct", structType],
  ["google.protobuf.Value", valueType],
  ["google.protobuf.Timestamp", timestampType],
  ["google.protobuf.Duration", durationType],
]);

const SCALARS = {
  string: stringType,
  bool: boolType,
  int32: int32Type,
  int64: int64Type,
  bytes: bytesType,
};

const writer = new ProtoWriter();

/** Reads .proto files, given relative to proto/. Each message is compiled when it is first asked for. */
export function openSchema(...files: readonly string[]): Schema {
  const shapeOf = loadShapes(files);
  const compiled = new Map<string, MessageType>();

  function messageType(name: string): MessageType {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const type = compileMessage(shapeOf(name), typeOf);
    compiled.set(name, type);
    return type;
  }

  function typeOf({ type }: FieldShape): ValueType<unknown> {
    switch (type.kind) {
      case "scalar":
        return SCALARS[type.name];
      case "enum":
        return enumType(type.values);
      case "message":
        return WELL_KNOWN.get(type.name) ?? messageType(type.name);
    }
  }

  return {
    message: (name) =>
      messageSchema(shapeOf(name), messageType(name), {
        answer: () => messageSchemaOf(shapeOf, name, "answer"),
        body: (omitted) => bodySchemaOf({ shapeOf, name }, omitted),
        query: (omitted) => querySchemasOf(shapeOf(name), omitted),
      }),
  };
}

function messageSchema<T>(
  { name }: MessageShape,
  type: MessageType,
  description: MessageDescription,
): MessageSchema<T> {
  const shortName = name.slice(name.lastIndexOf(".") + 1);
  return {
    decode(json, mode = "strict") {
      const violations = new Violations(mode);
      const model = type.fromJson(json, violations);
      violations.check(shortName);
      return model as T;
    },
    decodeQuery(query) {
      const violations = new Violations("strict");
      const model = type.fromQuery(query, violations);
      violations.check(shortName);
      return model as T;
    },
    toProto: (model) => writer.encode(() => type.writeBody(model as Model, writer)),
    fromProto(bytes, mode = "strict") {
      const violations = new Violations(mode);
      const model = wellFormed(shortName, () => type.readBody(new ProtoReader(bytes), violations));
      violations.check(shortName);
      return model as T;
    },
    tagOf(member) {
      const field = type.fields.find(({ jsonName }) => jsonName === member);
      if (field === undefined) throw new Error(`${name} has no field ${member}`);
      return field.tag;
    },
    description,
  };
}

function wellFormed<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof MalformedProto)) throw thrown;
    throw new A2AError("INVALID_PARAMS", `not the bytes of a ${name}: ${thrown.message}`);
  }
}
