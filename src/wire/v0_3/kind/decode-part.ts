/** A part of 0.3: text, a file or data, as `kind` says (spec 0.3, 6.5). */
import type { JsonObject, JsonValue } from "../../../protocol/json.ts";
import type { Part } from "../../../protocol/model.ts";
import { bytesType, stringType } from "../../schema/scalars.ts";
import { structType, valueType } from "../../schema/struct.ts";
import { quoted, type Violations } from "../../schema/violations.ts";
import { isJsonObject, unwrapped } from "../data-parts.ts";
import {
  members,
  optional,
  put,
  required,
  textOf,
  type JsonMembers,
  type Read,
} from "./decode-fields.ts";
import type { Draft } from "../draft.ts";

export const readPart: Read<Part> = (json, violations) => {
  const part = members(json, violations);
  if (part === undefined) return undefined;
  const metadata = readMetadata(part, violations);
  switch (kindOfPart(part, violations)) {
    case "text":
      return textPart(part, metadata, violations);
    case "file":
      return required(part, "file", fileReader(metadata), violations);
    case "data":
      return dataPart(part, metadata, violations);
    case undefined:
      return undefined;
  }
};

/** Taken over as it is. */
export function readMetadata(object: JsonMembers, violations: Violations): JsonObject | undefined {
  return optional(object, "metadata", structType.fromJson, violations) as JsonObject | undefined;
}

const KINDS = ["text", "file", "data"] as const;
type Kind = (typeof KINDS)[number];

/**
 * Its content alone does not say what a part is: one of a kind that nobody knows may have a text, too. A lenient reader
 * keeps that content all the same.
 */
function kindOfPart(part: JsonMembers, violations: Violations): Kind | undefined {
  const { kind } = part;
  const known =
    KINDS.find((name) => name === kind) ??
    (violations.lenient ? KINDS.find((name) => isSaid(part[name])) : undefined);
  if (known !== undefined) return known;
  if (isSaid(kind))
    violations.add(`must be one of ${KINDS.join(", ")}, not ${quoted(kind)}`, "kind");
  else violations.add("is required", "kind");
  return undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textPart(
  part: JsonMembers,
  metadata: JsonObject | undefined,
  violations: Violations,
): Part {
  const text = required(part, "text", stringType.fromJson, violations) ?? "";
  return metadata === undefined ? { text } : { text, metadata };
}

function fileReader(metadata: JsonObject | undefined): Read<Part> {
  return (json, violations) => {
    const file = members(json, violations);
    if (file === undefined) return undefined;
    const raw = optional(file, "bytes", bytesType.fromJson, violations);
    const url = optional(file, "uri", stringType.fromJson, violations);
    const given = ["bytes", "uri"].filter(
      (name) => file[name] !== undefined && file[name] !== null,
    );
    if (given.length === 0) violations.add("must have bytes or uri");
    if (given.length === 2) violations.add("must have bytes or uri, not both");
    const part: Draft<Part> = {};
    put(part, "raw", raw);
    put(part, "url", url);
    put(part, "mediaType", textOf(file, "mimeType", violations));
    put(part, "filename", textOf(file, "name", violations));
    put(part, "metadata", metadata);
    return part;
  };
}

/** Data that is no object is against 0.3, but clients send it and 1.0 can hold it. */
function dataPart(
  part: JsonMembers,
  metadata: JsonObject | undefined,
  violations: Violations,
): Part {
  const data = (required(part, "data", valueType.fromJson, violations) ?? {}) as JsonValue;
  if (isJsonObject(data)) return unwrapped(data, metadata);
  return metadata === undefined ? { data } : { data, metadata };
}
