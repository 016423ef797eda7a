/** A message of 0.3 (spec 0.3, 6.4). */
import type { Message, Part } from "../../../protocol/model.ts";
import { quoted, type Violations } from "../../schema/violations.ts";
import { stringType } from "../../schema/scalars.ts";
import { ROLES } from "../states.ts";
import {
  filledListOf,
  filledText,
  listOf,
  members,
  oneOf,
  optional,
  put,
  required,
  textOf,
  type JsonMembers,
  type Read,
} from "./decode-fields.ts";
import type { Draft } from "../draft.ts";
import { readMetadata, readPart } from "./decode-part.ts";

export const texts: Read<readonly string[]> = filledListOf(stringType.fromJson);

const role = oneOf(ROLES);
const list = listOf(readPart);

/** At least one. */
export const readParts: Read<readonly Part[]> = (json, violations) => {
  const parts = list(json, violations);
  if (Array.isArray(json) && json.length === 0 && !violations.lenient)
    violations.add("must not be empty");
  return parts;
};

export const readMessage: Read<Message> = (json, violations) => {
  const message = members(json, violations);
  if (message === undefined) return undefined;
  checkKind(message, "message", violations);
  const model: Draft<Message> = {
    messageId: required(message, "messageId", filledText, violations) ?? "",
    role: required(message, "role", role, violations) ?? "ROLE_UNSPECIFIED",
    parts: required(message, "parts", readParts, violations) ?? [],
  };
  put(model, "contextId", textOf(message, "contextId", violations));
  put(model, "taskId", textOf(message, "taskId", violations));
  put(model, "metadata", readMetadata(message, violations));
  put(model, "extensions", optional(message, "extensions", texts, violations));
  put(model, "referenceTaskIds", optional(message, "referenceTaskIds", texts, violations));
  return model;
};

/** `kind` may be missing where the place says what stands there. */
function checkKind(object: JsonMembers, expected: string, violations: Violations): void {
  const { kind } = object;
  if (kind === undefined || kind === null || kind === expected) return;
  violations.add(`must be ${quoted(expected)}, not ${quoted(kind)}`, "kind");
}
