/** What a .proto declares, as a table that can be compared with a checked-in one. */
import { createRequire } from "node:module";
import protobuf from "protobufjs";
import { PROTO_ROOT } from "../../src/wire/schema/shapes.ts";

interface FieldRow {
  number: number;
  type: string;
  repeated?: true;
  optional?: true;
  required?: true;
  deprecated?: true;
  oneof?: string;
  json_name?: string;
}

interface MethodRow {
  request: string;
  response: string;
  responseStream?: true;
}

export interface DescriptorTable {
  package: string;
  enums: Record<string, Record<string, number>>;
  messages: Record<string, Record<string, FieldRow>>;
  service: { name: string; methods: Record<string, MethodRow> };
}

/** `file` is relative to proto/. */
export function tableOf(file: string, packageName: string): DescriptorTable {
  const { resolve } = createRequire(import.meta.url);
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => {
    if (protobuf.common.get(target) !== null) return target;
    return target.startsWith("google/protobuf/")
      ? resolve(`protobufjs/${target}`)
      : `${PROTO_ROOT}/${target}`;
  };
  root.loadSync(file, { keepCase: true }).resolveAll();
  const namespace = root.lookup(packageName) as protobuf.Namespace;
  const inPackage = (name: string) => name.replace(`${packageName}.`, "");

  const table: DescriptorTable = {
    package: packageName,
    enums: {},
    messages: {},
    service: { name: "", methods: {} },
  };
  for (const item of namespace.nestedArray) {
    if (item instanceof protobuf.Enum) table.enums[item.name] = { ...item.values };
    if (item instanceof protobuf.Type)
      table.messages[item.name] = Object.fromEntries(
        item.fieldsArray.map((field) => [field.name, fieldRow(field, inPackage)]),
      );
    if (item instanceof protobuf.Service)
      table.service = {
        name: item.name,
        methods: Object.fromEntries(
          item.methodsArray.map((method) => [method.name, methodRow(method, inPackage)]),
        ),
      };
  }
  return table;
}

function fieldRow(field: protobuf.Field, inPackage: (name: string) => string): FieldRow {
  const type = inPackage(field.type);
  const options: Record<string, unknown> = field.options ?? {};
  const optional = options["proto3_optional"] === true;
  return {
    number: field.id,
    type: field instanceof protobuf.MapField ? `map<${field.keyType},${type}>` : type,
    ...(field.repeated ? { repeated: true } : {}),
    ...(optional ? { optional: true } : {}),
    ...(options["(gateway.required)"] === true ? { required: true } : {}),
    ...(options["deprecated"] === true ? { deprecated: true } : {}),
    ...(field.partOf !== null && !optional ? { oneof: field.partOf.name } : {}),
    ...(typeof options["json_name"] === "string" ? { json_name: options["json_name"] } : {}),
  };
}

function methodRow(method: protobuf.Method, inPackage: (name: string) => string): MethodRow {
  return {
    request: inPackage(method.requestType),
    response: inPackage(method.responseType),
    ...(method.responseStream === true ? { responseStream: true } : {}),
  };
}
