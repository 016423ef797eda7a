/**
 * Messages, artifacts and parts as agents write them: the ProtoJSON of A2A 1.0, without the members that the gateway
 * adds. A plain text stands for one text part, and `text` beside or instead of `parts` for a first one.
 */
import type { HandlerArtifact, HandlerMessage } from "../core/ports/handler.ts";
import type { Artifact, Message, Part, Role } from "../protocol/model.ts";
import { SHORT_STATES, STATE_OF } from "./names.ts";
import type { TaskState } from "../protocol/states.ts";
import {
  at,
  fieldsOf,
  jsonObjectOf,
  jsonOf,
  listOf,
  member,
  nameOf,
  optional,
  textOf,
  textsOf,
  wrong,
  type Fields,
} from "./fields.ts";

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ["ROLE_USER", "ROLE_USER"],
  ["user", "ROLE_USER"],
  ["ROLE_AGENT", "ROLE_AGENT"],
  ["agent", "ROLE_AGENT"],
]);

const STATES: ReadonlyMap<unknown, TaskState> = new Map<unknown, TaskState>(
  SHORT_STATES.flatMap((name) => [
    [name, STATE_OF[name]],
    [STATE_OF[name], STATE_OF[name]],
  ]),
);

/** A text, or `{text | parts, messageId?, metadata?, extensions?, referenceTaskIds?}`. */
export function messageOf(value: unknown, path: string): HandlerMessage {
  if (typeof value === "string") return { parts: [{ text: value }] };
  const fields = fieldsOf(value, path);
  return {
    ...optional(fields, path, "messageId", nameOf),
    parts: contentOf(fields, path),
    ...optional(fields, path, "metadata", jsonObjectOf),
    ...optional(fields, path, "extensions", textsOf),
    ...optional(fields, path, "referenceTaskIds", textsOf),
  };
}

/** A text, or `{text | parts, artifactId?, name?, description?, metadata?, extensions?}`. */
export function artifactOf(value: unknown, path: string): HandlerArtifact {
  if (typeof value === "string") return { parts: [{ text: value }] };
  const fields = fieldsOf(value, path);
  return {
    ...optional(fields, path, "artifactId", nameOf),
    ...optional(fields, path, "name", textOf),
    ...optional(fields, path, "description", textOf),
    parts: contentOf(fields, path),
    ...optional(fields, path, "metadata", jsonObjectOf),
    ...optional(fields, path, "extensions", textsOf),
  };
}

/** A message of a task's history: with its id and role. */
export function pastMessageOf(value: unknown, path: string): Message {
  const fields = fieldsOf(value, path);
  const role = ROLES.get(member(fields, "role"));
  if (role === undefined) throw wrong(at(path, "role"), "expected ROLE_USER or ROLE_AGENT");
  return { ...messageOf(value, path), messageId: idOf(fields, path, "messageId"), role };
}

/** An artifact of a whole task: with its id. */
export function storedArtifactOf(value: unknown, path: string): Artifact {
  const fields = fieldsOf(value, path);
  return { ...artifactOf(value, path), artifactId: idOf(fields, path, "artifactId") };
}

/** `completed` and the like, or `TASK_STATE_COMPLETED`. */
export function stateOf(value: unknown, path: string): TaskState {
  const state = STATES.get(value);
  if (state === undefined) {
    const what = typeof value === "string" ? `no state "${value.slice(0, 40)}"` : "no state";
    throw wrong(path, `${what}, expected one of ${SHORT_STATES.join(", ")}`);
  }
  return state;
}

function idOf(fields: Fields, path: string, name: string): string {
  return nameOf(member(fields, name), at(path, name));
}

function contentOf(fields: Fields, path: string): readonly Part[] {
  const text = member(fields, "text");
  const listed = member(fields, "parts");
  const parts = [
    ...(text === undefined ? [] : [{ text: textOf(text, at(path, "text")) }]),
    ...(listed === undefined ? [] : partsOf(listed, at(path, "parts"))),
  ];
  if (parts.length === 0) throw wrong(at(path, "parts"), "expected at least one part");
  return parts;
}

function partsOf(value: unknown, path: string): readonly Part[] {
  return listOf(value, path).map((part, index) => partOf(part, `${path}[${index}]`));
}

function partOf(value: unknown, path: string): Part {
  const fields = fieldsOf(value, path);
  const contents = [
    ...("data" in fields ? [{ data: jsonOf(fields["data"], at(path, "data")) }] : []),
    ...given(optional(fields, path, "text", textOf)),
    ...given(optional(fields, path, "raw", base64Of)),
    ...given(optional(fields, path, "url", nameOf)),
  ];
  const [content] = contents;
  if (content === undefined || contents.length > 1)
    throw wrong(path, "expected exactly one of text, raw, url and data");
  return {
    ...content,
    ...optional(fields, path, "filename", textOf),
    ...optional(fields, path, "mediaType", textOf),
    ...optional(fields, path, "metadata", jsonObjectOf),
  };
}

function given<T extends object>(content: T): readonly T[] {
  return Object.keys(content).length > 0 ? [content] : [];
}

/** Base64 or base64url, padded or not, as standard base64. */
function base64Of(value: unknown, path: string): string {
  const text = textOf(value, path);
  const digits = text.replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/_-]*$/.test(digits) || digits.length % 4 === 1)
    throw wrong(path, "expected base64");
  const standard = digits.replaceAll("-", "+").replaceAll("_", "/");
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, "=");
}
