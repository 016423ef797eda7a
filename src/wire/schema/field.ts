/** A field compiled from its shape: how its JSON value becomes the model's, and how it is written in protobuf. */
import { isObject, setOwn } from "./objects.ts";
import type { ProtoReader } from "./proto-reader.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import type { FieldShape } from "./shapes.ts";
import { stringType } from "./scalars.ts";
import { DELIMITED, type ValueType } from "./value-type.ts";
import { kindOf, type Violations } from "./violations.ts";

export type Model = Record<string, unknown>;

export interface Field {
  readonly jsonName: string;
  readonly protoName: string;
  readonly tag: number;
  readonly type: ValueType<unknown>;
  readonly cardinality: FieldShape["cardinality"];
  readonly required: boolean;
  /** What a required field that is missing counts as; undefined where it is then an error even in lenient mode. */
  missing(violations: Violations): unknown;
  /** The model's value, undefined when there is none or when a violation was added. */
  fromJson(json: unknown, violations: Violations): unknown;
  write(value: unknown, writer: ProtoWriter): void;
  /** Reads one occurrence into the model. */
  readInto(model: Model, reader: ProtoReader, violations: Violations): void;
  /** Whether this value is the same as none, and left out. */
  isNothing(value: unknown): boolean;
  /** Whether this value is not enough for a required field. */
  isBlank(value: unknown): boolean;
}

export function compileField(shape: FieldShape, type: ValueType<unknown>): Field {
  const wireType = shape.cardinality === "map" ? DELIMITED : type.wireType;
  const common = {
    jsonName: shape.jsonName,
    protoName: shape.name,
    tag: (shape.number << 3) | wireType,
    type,
    cardinality: shape.cardinality,
    required: shape.required,
  };
  switch (shape.cardinality) {
    case "single":
      return { ...common, ...singleField(shape, type, common.tag) };
    case "repeated":
      return { ...common, ...repeatedField(shape, type, common.tag) };
    case "map":
      return { ...common, ...mapField(shape, type, common.tag) };
  }
}

type Behaviour = Pick<
  Field,
  "missing" | "fromJson" | "write" | "readInto" | "isNothing" | "isBlank"
>;

function singleField(shape: FieldShape, type: ValueType<unknown>, tag: number): Behaviour {
  const { jsonName, presence } = shape;
  return {
    missing: (violations) => (violations.lenient || !type.mustDiffer ? type.zero : undefined),
    fromJson: (json, violations) => type.fromJson(json, violations),
    write(value, writer) {
      if (!presence && value === type.zero) return;
      writer.uint32(tag);
      type.write(value, writer);
    },
    readInto(model, reader, violations) {
      const before = violations.count;
      model[jsonName] = type.read(reader, violations);
      if (violations.count > before) violations.prefix(before, jsonName);
    },
    isNothing: (value) => !presence && value === type.zero,
    isBlank: (value) => type.mustDiffer && value === type.zero,
  };
}

function repeatedField(shape: FieldShape, type: ValueType<unknown>, tag: number): Behaviour {
  const { jsonName } = shape;
  return {
    missing: (violations) => (violations.lenient ? [] : undefined),
    fromJson(json, violations) {
      if (!Array.isArray(json)) {
        violations.add(`must be an array, not ${kindOf(json)}`);
        return undefined;
      }
      const list: unknown[] = [];
      for (const [index, item] of json.entries()) {
        const before = violations.count;
        list.push(type.fromJson(item, violations));
        if (violations.count > before) violations.prefix(before, `[${index}]`);
        if (violations.full) break;
      }
      return list;
    },
    write(value, writer) {
      for (const item of value as readonly unknown[]) {
        writer.uint32(tag);
        type.write(item, writer);
      }
    },
    readInto(model, reader, violations) {
      const list = (model[jsonName] ??= []) as unknown[];
      const before = violations.count;
      list.push(type.read(reader, violations));
      if (violations.count > before) violations.prefix(before, `${jsonName}[${list.length - 1}]`);
    },
    isNothing: isEmptyList,
    isBlank: isEmptyList,
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const KEY = (1 << 3) | DELIMITED;

function mapField(shape: FieldShape, type: ValueType<unknown>, tag: number): Behaviour {
  const { jsonName } = shape;
  const valueTag = (2 << 3) | type.wireType;
  return {
    missing: () => ({}),
    fromJson(json, violations) {
      if (!isObject(json)) {
        violations.add(`must be an object, not ${kindOf(json)}`);
        return undefined;
      }
      const map: Model = {};
      for (const [key, item] of Object.entries(json)) {
        const before = violations.count;
        setOwn(map, key, type.fromJson(item, violations));
        if (violations.count > before) violations.prefix(before, keyPath(key));
        if (violations.full) break;
      }
      return map;
    },
    write(value, writer) {
      for (const [key, item] of Object.entries(value as Model)) {
        writer.uint32(tag);
        const entry = writer.begin();
        writer.uint32(KEY);
        stringType.write(key, writer);
        writer.uint32(valueTag);
        type.write(item, writer);
        writer.end(entry);
      }
    },
    readInto(model, reader, violations) {
      const map = (model[jsonName] ??= {}) as Model;
      let key = "";
      let value = type.zero;
      const before = violations.count;
      const outer = reader.enter();
      while (!reader.done) {
        const entryTag = reader.uint32();
        if (entryTag === KEY) key = reader.string();
        else if (entryTag === valueTag) value = type.read(reader, violations);
        else reader.skip(entryTag & 7);
      }
      reader.leave(outer);
      // An entry without a value holds an empty message.
      setOwn(map, key, value ?? {});
      if (violations.count > before) violations.prefix(before, jsonName + keyPath(key));
    },
    isNothing: (value) => Object.keys(value as Model).length === 0,
    isBlank: () => false,
  };
}

function keyPath(key: string): string {
  return `[${JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key)}]`;
}
