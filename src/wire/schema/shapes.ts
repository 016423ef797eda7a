/** Reads a .proto file into plain descriptions of its messages. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

/** The folder that imports between .proto files are relative to. */
export const PROTO_ROOT = fileURLToPath(new URL("../../../proto", import.meta.url));

/** The scalar types that our .proto files use. */
const SCALARS = ["string", "bool", "int32", "int64", "bytes"] as const;

export type FieldKind =
  | { readonly kind: "scalar"; readonly name: (typeof SCALARS)[number] }
  | { readonly kind: "enum"; readonly values: ReadonlyMap<string, number> }
  | { readonly kind: "message"; readonly name: string };

export interface FieldShape {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly type: FieldKind;
  readonly cardinality: "single" | "repeated" | "map";
  /** Absent can be told from the default value. */
  readonly presence: boolean;
  readonly required: boolean;
}

export interface OneofShape {
  readonly members: readonly FieldShape[];
  readonly required: boolean;
}

export interface MessageShape {
  /** The full name, such as `lf.a2a.v1.Task`. */
  readonly name: string;
  readonly fields: readonly FieldShape[];
  readonly oneofs: readonly OneofShape[];
}

/** Parses the files, given relative to PROTO_ROOT; the result finds the shape of any message in them by full name. */
export function loadShapes(files: readonly string[]): (name: string) => MessageShape {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => pathOf(target);
  root.loadSync([...files], { keepCase: true }).resolveAll();
  return (name) => messageShape(root.lookupType(name));
}

/** The well-known types come with protobufjs, most under the names they are imported by, one as a file. */
export function pathOf(target: string): string {
  if (protobuf.common.get(target) !== null) return target;
  return target.startsWith("google/protobuf/")
    ? createRequire(import.meta.url).resolve(`protobufjs/${target}`)
    : `${PROTO_ROOT}/${target}`;
}

function messageShape(type: protobuf.Type): MessageShape {
  const fields = new Map(type.fieldsArray.map((field) => [field.name, fieldShape(field)]));
  return {
    name: fullName(type),
    fields: [...fields.values()],
    oneofs: type.oneofsArray.filter(isRealOneof).map((oneof) => ({
      members: oneof.oneof.flatMap((name) => fields.get(name) ?? []),
      required: oneof.options?.["(gateway.one_required)"] === true,
    })),
  };
}

function fieldShape(field: protobuf.Field): FieldShape {
  const type = fieldKind(field);
  const cardinality = field.map ? "map" : field.repeated ? "repeated" : "single";
  if (cardinality === "repeated" && type.kind !== "message" && field.type !== "string")
    throw new Error(`${field.fullName}: packed fields are not supported`);
  if (field instanceof protobuf.MapField && field.keyType !== "string")
    throw new Error(`${field.fullName}: only maps with string keys are supported`);
  const optional = field.options?.["proto3_optional"] === true;
  return {
    name: field.name,
    jsonName: jsonNameOf(field),
    number: field.id,
    type,
    cardinality,
    presence: optional || field.partOf !== null || type.kind === "message",
    required: field.options?.["(gateway.required)"] === true,
  };
}

function fieldKind(field: protobuf.Field): FieldKind {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Enum)
    return { kind: "enum", values: new Map(Object.entries(resolvedType.values)) };
  if (resolvedType !== null) return { kind: "message", name: fullName(resolvedType) };
  const name = SCALARS.find((scalar) => scalar === field.type);
  if (name === undefined) throw new Error(`${field.fullName}: type ${field.type} is not supported`);
  return { kind: "scalar", name };
}

export function jsonNameOf(field: protobuf.Field): string {
  const given: unknown = field.options?.["json_name"];
  if (typeof given === "string") return given;
  return field.name.replace(/_+([^_])/g, (_match, letter: string) => letter.toUpperCase());
}

/** An `optional` scalar is parsed as a oneof of its own; that is not one that the file wrote. */
function isRealOneof(oneof: protobuf.OneOf): boolean {
  return !oneof.fieldsArray.every((field) => field.options?.["proto3_optional"] === true);
}

function fullName(type: protobuf.Type): string {
  return type.fullName.slice(1);
}
