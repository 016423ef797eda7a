/**
 * Events that need no decoding: those of which streams have the most, written as the specification has them, with nothing
 * in them but what is looked at here. The decoder would make the same of them, at many times the price.
 */
import type { StreamResponse } from "../../../protocol/model.ts";
import { TASK_STATES } from "../../../protocol/states.ts";
import { isObject } from "../../schema/objects.ts";
import { isCanonicalTime } from "../../schema/time-text.ts";

/** The event itself, where it is a bare status or texts of an artifact; undefined for one that has to be decoded. */
export function plainEvent(json: unknown): StreamResponse | undefined {
  if (!isObject(json)) return undefined;
  const [name, other] = Object.keys(json);
  const shape = other === undefined && name !== undefined ? EVENTS.get(name) : undefined;
  if (name === undefined || shape === undefined) return undefined;
  return isPlain(json[name], shape) ? (json as StreamResponse) : undefined;
}

type Check = (value: unknown) => boolean;

interface Shape {
  /** Under the names of ProtoJSON; any other member is one for the decoder. */
  readonly members: ReadonlyMap<string, Check>;
  readonly required: readonly string[];
}

function isPlain(value: unknown, { members, required }: Shape): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (members.get(name)?.(value[name]) !== true) return false;
  for (const name of required) if (value[name] === undefined) return false;
  return true;
}

/** Half a character has no form in UTF-8: the decoder refuses it. */
function isText(value: unknown): boolean {
  return (
    typeof value === "string" && (value as string & { isWellFormed(): boolean }).isWellFormed()
  );
}

/** Where an empty text counts as none. */
function isFilled(value: unknown): boolean {
  return value !== "" && isText(value);
}

function isTrue(value: unknown): boolean {
  return value === true;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((part) => isPlain(part, TEXT_PART));
}

const STATES: ReadonlySet<unknown> = new Set(
  TASK_STATES.filter((state) => state !== "TASK_STATE_UNSPECIFIED"),
);

const TEXT_PART: Shape = { members: new Map([["text", isText]]), required: ["text"] };

const ARTIFACT: Shape = {
  members: new Map<string, Check>([
    ["artifactId", isText],
    ["name", isFilled],
    ["description", isFilled],
    ["parts", isListOfTexts],
  ]),
  required: ["artifactId", "parts"],
};

const ARTIFACT_UPDATE: Shape = {
  members: new Map<string, Check>([
    ["taskId", isFilled],
    ["contextId", isText],
    ["artifact", (value) => isPlain(value, ARTIFACT)],
    ["append", isTrue],
    ["lastChunk", isTrue],
  ]),
  required: ["taskId", "contextId", "artifact"],
};

const STATUS: Shape = {
  members: new Map<string, Check>([
    ["state", (value) => STATES.has(value)],
    ["timestamp", (value) => typeof value === "string" && isCanonicalTime(value)],
  ]),
  required: ["state"],
};

const STATUS_UPDATE: Shape = {
  members: new Map<string, Check>([
    ["taskId", isFilled],
    ["contextId", isText],
    ["status", (value) => isPlain(value, STATUS)],
  ]),
  required: ["taskId", "contextId", "status"],
};

const EVENTS: ReadonlyMap<string, Shape> = new Map([
  ["artifactUpdate", ARTIFACT_UPDATE],
  ["statusUpdate", STATUS_UPDATE],
]);
