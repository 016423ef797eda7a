/**
 * What agents of 0.3 answer, read leniently: members that agents leave out take their defaults, but for those without
 * which the object is of no use; a `kind` that is missing is told from the members that only one of the objects has.
 */
import type {
  Artifact,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../../../protocol/model.ts";
import { receivedTime } from "../../client-answer.ts";
import { boolType, stringType } from "../../schema/scalars.ts";
import { Violations } from "../../schema/violations.ts";
import { STATES } from "../states.ts";
import {
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
import { readMessage, readParts, texts } from "./decode-message.ts";
import { readMetadata } from "./decode-part.ts";

/** The result of `message/send`, or one event of a stream. Throws INVALID_PARAMS for what is none of them. */
export function decodeKindResult(wire: unknown): StreamResponse {
  const violations = new Violations("lenient");
  const result = readResult(wire, violations);
  violations.check("result");
  if (result === undefined) throw new Error("a result without violations is there");
  return result;
}

const readResult: Read<StreamResponse> = (json, violations) => {
  const result = members(json, violations);
  if (result === undefined) return undefined;
  switch (kindOfResult(result)) {
    case "task":
      return { task: taskOf(result, violations) };
    case "message": {
      const message = readMessage(result, violations);
      if (message?.parts.length === 0 && violations.count === 0)
        violations.add("is required", "parts");
      return message && { message };
    }
    case "status-update":
      return { statusUpdate: statusUpdateOf(result, violations) };
    case "artifact-update":
      return { artifactUpdate: artifactUpdateOf(result, violations) };
    default:
      violations.add("must be a task, message, status-update or artifact-update", "kind");
      return undefined;
  }
};

function kindOfResult(result: JsonMembers): string {
  const { kind } = result;
  if (typeof kind === "string") return kind;
  if ("messageId" in result || ("role" in result && "parts" in result)) return "message";
  if ("artifact" in result) return "artifact-update";
  if (!("status" in result)) return "";
  return "taskId" in result ? "status-update" : "task";
}

function taskOf(json: JsonMembers, violations: Violations): Task {
  const task: Draft<Task> = {
    id: filled(json, "id", violations),
    status: statusOf(json, violations),
  };
  put(task, "contextId", textOf(json, "contextId", violations));
  put(task, "artifacts", optional(json, "artifacts", artifacts, violations));
  put(task, "history", optional(json, "history", messages, violations));
  put(task, "metadata", readMetadata(json, violations));
  return task;
}

function statusUpdateOf(json: JsonMembers, violations: Violations): TaskStatusUpdateEvent {
  const event: Draft<TaskStatusUpdateEvent> = {
    taskId: filled(json, "taskId", violations),
    contextId: textOf(json, "contextId", violations) ?? "",
    status: statusOf(json, violations),
  };
  put(event, "metadata", readMetadata(json, violations));
  return event;
}

function artifactUpdateOf(json: JsonMembers, violations: Violations): TaskArtifactUpdateEvent {
  const event: Draft<TaskArtifactUpdateEvent> = {
    taskId: filled(json, "taskId", violations),
    contextId: textOf(json, "contextId", violations) ?? "",
    artifact: needed(json, "artifact", readArtifact, violations) ?? NO_ARTIFACT,
  };
  put(event, "append", optional(json, "append", boolType.fromJson, violations) || undefined);
  put(event, "lastChunk", optional(json, "lastChunk", boolType.fromJson, violations) || undefined);
  put(event, "metadata", readMetadata(json, violations));
  return event;
}

const NO_ARTIFACT: Artifact = { artifactId: "", parts: [] };

const readArtifact: Read<Artifact> = (json, violations) => {
  const artifact = members(json, violations);
  if (artifact === undefined) return undefined;
  const model: Draft<Artifact> = {
    artifactId: textOf(artifact, "artifactId", violations) ?? "",
    parts: required(artifact, "parts", readParts, violations) ?? [],
  };
  put(model, "name", textOf(artifact, "name", violations));
  put(model, "description", textOf(artifact, "description", violations));
  put(model, "metadata", readMetadata(artifact, violations));
  put(model, "extensions", optional(artifact, "extensions", texts, violations));
  return model;
};

const artifacts = listOf(readArtifact);
const messages = listOf(readMessage);
const state = oneOf(STATES);

function statusOf(json: JsonMembers, violations: Violations): TaskStatus {
  return needed(json, "status", readStatus, violations) ?? { state: "TASK_STATE_UNSPECIFIED" };
}

/** A time that cannot be read says nothing, and the status is worth having without it. */
const readStatus: Read<TaskStatus> = (json, violations) => {
  const status = members(json, violations);
  if (status === undefined) return undefined;
  const model: Draft<TaskStatus> = {
    state: optional(status, "state", state, violations) ?? "TASK_STATE_UNSPECIFIED",
  };
  put(model, "message", optional(status, "message", readMessage, violations));
  put(model, "timestamp", receivedTime(status["timestamp"]));
  return model;
};

/** A member that even a lenient reader cannot do without. */
function needed<T>(
  object: JsonMembers,
  name: string,
  read: Read<T>,
  violations: Violations,
): T | undefined {
  const value = optional(object, name, read, violations);
  if (object[name] === undefined || object[name] === null) violations.add("is required", name);
  return value;
}

function filled(object: JsonMembers, name: string, violations: Violations): string {
  const text = needed(object, name, stringType.fromJson, violations);
  if (text === "") violations.add("must not be empty", name);
  return text ?? "";
}
