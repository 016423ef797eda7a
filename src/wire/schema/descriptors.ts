/**
 * .proto files as FileDescriptorProtos, the form in which gRPC reflection serves them. The conversion that comes with
 * protobufjs leaves out imports, leading dots, map entries and proto3 presence, so that no client could link its result.
 */
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { protoFilesOf, type ProtoFile } from "./proto-files.ts";
import { jsonNameOf } from "./shapes.ts";

const LABEL = { optional: 1, repeated: 3 } as const;

/** The types of the language; google.protobuf.FieldDescriptorProto.Type. */
const SCALAR_TYPES: Readonly<Record<string, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
const MESSAGE_TYPE = 11;
const ENUM_TYPE = 14;

/** The files at these absolute paths and all that they import, serialized, each file once. */
export function fileDescriptorsOf(paths: readonly string[]): readonly Buffer[] {
  const files = new Map(paths.flatMap(protoFilesOf).map((file) => [file.name, file]));
  return [...files.values()].map((file) =>
    Buffer.from(descriptor.FileDescriptorProto.encode(fileDescriptor(file)).finish()),
  );
}

function fileDescriptor(file: ProtoFile) {
  const { name, package: packageName, imports, declared, isBundled } = file;
  return {
    name,
    package: packageName,
    dependency: imports,
    messageType: declared
      .filter((each) => each instanceof protobuf.Type)
      .map((type) => messageDescriptor(type, isBundled)),
    enumType: declared.filter((each) => each instanceof protobuf.Enum).map(enumDescriptor),
    service: declared.filter((each) => each instanceof protobuf.Service).map(serviceDescriptor),
    syntax: "proto3",
  };
}

function messageDescriptor(type: protobuf.Type, isBundled: boolean): object {
  const { fieldsArray, nestedArray } = type;
  // The oneof of an `optional` field comes after those that the file wrote.
  const written = type.oneofsArray.filter((oneof) => !oneof.fieldsArray.every(isOptional));
  const oneofs = [
    ...written.map(({ name }) => name),
    ...fieldsArray.filter(isOptional).map(presenceName),
  ];
  return {
    name: type.name,
    field: fieldsArray.map((field) => fieldDescriptor(field, oneofs, isBundled)),
    nestedType: [
      ...nestedArray
        .filter((each) => each instanceof protobuf.Type)
        .map((nested) => messageDescriptor(nested, isBundled)),
      ...fieldsArray.filter((each) => each instanceof protobuf.MapField).map(mapEntry),
    ],
    enumType: nestedArray.filter((each) => each instanceof protobuf.Enum).map(enumDescriptor),
    oneofDecl: oneofs.map((name) => ({ name })),
  };
}

function fieldDescriptor(
  field: protobuf.Field,
  oneofs: readonly string[],
  isBundled: boolean,
): object {
  const optional = isOptional(field);
  const oneof = optional ? presenceName(field) : field.partOf?.name;
  return {
    name: isBundled ? snakeCaseOf(field.name) : field.name,
    jsonName: jsonNameOf(field),
    number: field.id,
    label: field.repeated || field.map ? LABEL.repeated : LABEL.optional,
    ...(field instanceof protobuf.MapField ? entryType(field) : valueType(field)),
    ...(oneof !== undefined && { oneofIndex: oneofs.indexOf(oneof) }),
    ...(optional && { proto3Optional: true }),
    ...(field.options?.["deprecated"] === true && { options: { deprecated: true } }),
  };
}

function valueType({ type, resolvedType }: protobuf.FieldBase): object {
  if (resolvedType === null) return { type: SCALAR_TYPES[type] };
  return {
    type: resolvedType instanceof protobuf.Enum ? ENUM_TYPE : MESSAGE_TYPE,
    typeName: resolvedType.fullName,
  };
}

function entryType(field: protobuf.MapField): object {
  return { type: MESSAGE_TYPE, typeName: `${field.parent?.fullName}.${entryName(field)}` };
}

/** The message that an entry of a map is on the wire. */
function mapEntry(field: protobuf.MapField): object {
  const key = { type: SCALAR_TYPES[field.keyType] };
  return {
    name: entryName(field),
    field: [
      { name: "key", jsonName: "key", number: 1, label: LABEL.optional, ...key },
      { name: "value", jsonName: "value", number: 2, label: LABEL.optional, ...valueType(field) },
    ],
    options: { mapEntry: true },
  };
}

function entryName({ name }: protobuf.MapField): string {
  const camelCase = name.replace(/(?:^|_+)([^_])/g, (_match, letter: string) =>
    letter.toUpperCase(),
  );
  return `${camelCase}Entry`;
}

function enumDescriptor({ name, values }: protobuf.Enum): object {
  return { name, value: Object.entries(values).map(([name, number]) => ({ name, number })) };
}

function serviceDescriptor({ name, methodsArray }: protobuf.Service): object {
  return {
    name,
    method: methodsArray.map((method) => ({
      name: method.name,
      inputType: method.resolvedRequestType?.fullName,
      outputType: method.resolvedResponseType?.fullName,
      ...(method.requestStream && { clientStreaming: true }),
      ...(method.responseStream && { serverStreaming: true }),
    })),
  };
}

function isOptional(field: protobuf.Field): boolean {
  return field.options?.["proto3_optional"] === true;
}

function presenceName({ name }: protobuf.Field): string {
  return `_${name}`;
}

function snakeCaseOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
