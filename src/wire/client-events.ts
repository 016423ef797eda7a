/** The member of an answer that says what it is, in ProtoJSON and in protobuf of either version. */
import { invalidParams } from "../protocol/errors.ts";
import { withReadableTime } from "./client-answer.ts";
import { isObject } from "./schema/objects.ts";

type Member = "task" | "message" | "statusUpdate" | "artifactUpdate";

/** Under every name that agents write. */
const MEMBERS: Readonly<Record<string, Member>> = {
  task: "task",
  message: "message",
  msg: "message",
  statusUpdate: "statusUpdate",
  status_update: "statusUpdate",
  artifactUpdate: "artifactUpdate",
  artifact_update: "artifactUpdate",
};

const NAMES = Object.entries(MEMBERS);

/**
 * An answer in ProtoJSON as the decoders take it. Agents also send the object itself, such as a task, where the
 * protobuf has it in a member: it is told by the members that only one of the objects has.
 */
export function wrappedEvent(json: unknown): unknown {
  if (!isObject(json)) return json;
  const wrapped: Partial<Record<Member, unknown>> = {};
  let isWrapped = false;
  for (const [name, member] of NAMES) {
    const value = json[name];
    if (value === undefined || value === null) continue;
    wrapped[member] = withReadableTime(value);
    isWrapped = true;
  }
  // None of the bare objects has a member of these names.
  if (isWrapped) return wrapped;
  const member = memberOfShape(json);
  return member === undefined ? json : { [member]: withReadableTime(json) };
}

function memberOfShape(json: Record<string, unknown>): Member | undefined {
  if ("artifact" in json) return "artifactUpdate";
  if ("status" in json) return "taskId" in json || "task_id" in json ? "statusUpdate" : "task";
  return "role" in json && ("parts" in json || "content" in json) ? "message" : undefined;
}

/**
 * Without these the object is of no use. A message has one of its two: `content` is how the protobuf of 0.3 calls the
 * parts, and a decoded list is there even when it is empty.
 */
const REQUIRED: Readonly<Record<Member, readonly string[]>> = {
  task: ["id", "status"],
  message: ["parts", "content"],
  statusUpdate: ["taskId", "status"],
  artifactUpdate: ["taskId", "artifact"],
};

/** Throws INVALID_PARAMS for a decoded answer that is nothing at all or lacks what must be there. */
export function checkEvent(event: object, allowed: readonly Member[]): void {
  const [entry] = Object.entries(event) as [string, unknown][];
  const member = allowed.find((name) => name === entry?.[0]);
  if (entry === undefined || member === undefined)
    throw invalidParams([{ field: "", description: `must have one of ${allowed.join(", ")}` }]);
  checkMember(member, entry[1], `${member}.`);
}

/** The same for a task that stands alone. */
export function checkTask(task: object): void {
  checkMember("task", task, "");
}

function checkMember(member: Member, value: unknown, prefix: string): void {
  if (!isObject(value)) return;
  for (const name of REQUIRED[member]) {
    if (member === "message" && !(name in value)) continue;
    if (isMissing(value[name]))
      throw invalidParams([{ field: prefix + name, description: "is required" }]);
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

export const SEND: readonly Member[] = ["task", "message"];
export const STREAM: readonly Member[] = ["task", "message", "statusUpdate", "artifactUpdate"];
