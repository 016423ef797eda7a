/** JSON values as protobuf writes them: google.protobuf.Struct, Value and ListValue. */
import { isObject, setOwn } from "./objects.ts";
import type { ProtoReader } from "./proto-reader.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import type { Violations } from "./violations.ts";

/** Objects and arrays inside one another; what nests deeper could exhaust the stack of whoever walks it. */
export const DEEPEST = 100;
export const TOO_DEEP = `is nested deeper than ${DEEPEST} levels`;

/** Tags of Value's members, of Struct's entries and of ListValue's elements. */
const NULL = (1 << 3) | 0;
const NUMBER = (2 << 3) | 1;
const STRING = (3 << 3) | 2;
const BOOL = (4 << 3) | 0;
const STRUCT = (5 << 3) | 2;
const LIST = (6 << 3) | 2;
const ELEMENT = (1 << 3) | 2;
const KEY = (1 << 3) | 2;
const VALUE = (2 << 3) | 2;

export function writeStruct(struct: Record<string, unknown>, writer: ProtoWriter): void {
  const start = writer.begin();
  for (const [key, value] of Object.entries(struct)) {
    if (value === undefined) continue;
    writer.uint32(ELEMENT);
    const entry = writer.begin();
    writer.uint32(KEY);
    writer.string(key);
    writer.uint32(VALUE);
    writeValue(value, writer);
    writer.end(entry);
  }
  writer.end(start);
}

export function writeValue(value: unknown, writer: ProtoWriter): void {
  const start = writer.begin();
  if (typeof value === "string") {
    writer.uint32(STRING);
    writer.string(value);
  } else if (typeof value === "boolean") {
    writer.uint32(BOOL);
    writer.uint32(value ? 1 : 0);
  } else if (typeof value === "number" && Number.isFinite(value)) {
    writer.uint32(NUMBER);
    writer.double(value);
  } else if (Array.isArray(value)) {
    writer.uint32(LIST);
    writeList(value, writer);
  } else if (isObject(value)) {
    writer.uint32(STRUCT);
    writeStruct(value, writer);
  } else {
    // Null, and what JSON.stringify writes as null too.
    writer.uint32(NULL);
    writer.uint32(0);
  }
  writer.end(start);
}

function writeList(list: readonly unknown[], writer: ProtoWriter): void {
  const start = writer.begin();
  for (const item of list) {
    writer.uint32(ELEMENT);
    writeValue(item, writer);
  }
  writer.end(start);
}

export function readStruct(
  reader: ProtoReader,
  violations: Violations,
  depth: number,
): Record<string, unknown> {
  const struct: Record<string, unknown> = {};
  const outer = enterAt(depth, reader, violations);
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === ELEMENT) readEntry(struct, reader, violations, depth);
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
  return struct;
}

function readEntry(
  struct: Record<string, unknown>,
  reader: ProtoReader,
  violations: Violations,
  depth: number,
): void {
  let key = "";
  let value: unknown = null;
  const outer = reader.enter();
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === KEY) key = reader.string();
    else if (tag === VALUE) value = readValue(reader, violations, depth + 1);
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
  setOwn(struct, key, value);
}

export function readValue(reader: ProtoReader, violations: Violations, depth: number): unknown {
  let value: unknown = null;
  const outer = reader.enter();
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === STRING) value = reader.string();
    else if (tag === NUMBER) value = finite(reader.double(), violations);
    else if (tag === BOOL) value = reader.bool();
    else if (tag === STRUCT) value = readStruct(reader, violations, depth);
    else if (tag === LIST) value = readList(reader, violations, depth);
    else {
      if (tag === NULL) value = null;
      reader.skip(tag & 7);
    }
  }
  reader.leave(outer);
  return value;
}

function readList(reader: ProtoReader, violations: Violations, depth: number): unknown[] {
  const list: unknown[] = [];
  const outer = enterAt(depth, reader, violations);
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === ELEMENT) list.push(readValue(reader, violations, depth + 1));
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
  return list;
}

/** Enters the next message; one that nests too deep is passed over. */
function enterAt(depth: number, reader: ProtoReader, violations: Violations): number {
  const outer = reader.enter();
  if (depth > DEEPEST) {
    violations.add(TOO_DEEP);
    reader.skipRest();
  }
  return outer;
}

function finite(number: number, violations: Violations): number {
  if (!Number.isFinite(number)) violations.add(`holds ${number}, which JSON cannot express`);
  return number;
}
