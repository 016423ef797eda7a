/** Tasks (spec 0.3, 6.1), their states and artifacts. */
import type { Artifact, Task, TaskStatus } from "../../protocol/model.ts";
import type { TaskState } from "../../protocol/states.ts";
import { messageOf, protoMessageOf } from "./proto-message.ts";
import type { ProtoArtifact, ProtoTask, ProtoTaskState, ProtoTaskStatus } from "./proto-model.ts";
import { partOf, protoPartOf } from "./proto-parts.ts";
import type { Draft } from "./draft.ts";

/** Also of a fragment of a task, which has some of its members only. */
export function protoTaskOf(task: Task): ProtoTask {
  const { id, contextId, status, artifacts, history, metadata }: Partial<Task> = task;
  const out: Draft<Partial<ProtoTask>> = {};
  if (id !== undefined) out.id = id;
  if (contextId !== undefined) out.contextId = contextId;
  if (status !== undefined) out.status = protoStatusOf(status);
  if (artifacts !== undefined) out.artifacts = artifacts.map(protoArtifactOf);
  if (history !== undefined) out.history = history.map(protoMessageOf);
  if (metadata !== undefined) out.metadata = metadata;
  return out as ProtoTask;
}

export function taskOf({ id, contextId, status, artifacts, history, metadata }: ProtoTask): Task {
  const out: Draft<Task> = { id, status: statusOf(status) };
  if (contextId !== undefined) out.contextId = contextId;
  if (artifacts !== undefined) out.artifacts = artifacts.map(artifactOf);
  if (history !== undefined) out.history = history.map(messageOf);
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

export function protoStatusOf({ state, message, timestamp }: TaskStatus): ProtoTaskStatus {
  const out: Draft<ProtoTaskStatus> = { state: protoStateOf(state) };
  if (message !== undefined) out.message = protoMessageOf(message);
  if (timestamp !== undefined) out.timestamp = timestamp;
  return out;
}

export function statusOf({ state, message, timestamp }: ProtoTaskStatus): TaskStatus {
  const out: Draft<TaskStatus> = { state: stateOf(state) };
  if (message !== undefined) out.message = messageOf(message);
  if (timestamp !== undefined) out.timestamp = timestamp;
  return out;
}

function protoStateOf(state: TaskState): ProtoTaskState {
  return state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state;
}

function stateOf(state: ProtoTaskState): TaskState {
  return state === "TASK_STATE_CANCELLED" ? "TASK_STATE_CANCELED" : state;
}

export function protoArtifactOf(artifact: Artifact): ProtoArtifact {
  return withParts(artifact, artifact.parts.map(protoPartOf));
}

export function artifactOf(artifact: ProtoArtifact): Artifact {
  return withParts(artifact, artifact.parts.map(partOf));
}

/** The versions differ in the parts alone. */
function withParts<P>(artifact: Omit<Artifact, "parts">, parts: readonly P[]): ArtifactOf<P> {
  const { artifactId, name, description, metadata, extensions } = artifact;
  const out: Draft<ArtifactOf<P>> = { artifactId, parts };
  if (name !== undefined) out.name = name;
  if (description !== undefined) out.description = description;
  if (metadata !== undefined) out.metadata = metadata;
  if (extensions !== undefined) out.extensions = extensions;
  return out;
}

interface ArtifactOf<P> extends Omit<Artifact, "parts"> {
  readonly parts: readonly P[];
}
