/** The model's objects in the shapes of 0.3. What 0.3 has no place for is left out: docs/versions.md lists it. */
import type {
  Artifact,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../../../protocol/model.ts";
import { wrapped } from "../data-parts.ts";
import { LEGACY_ROLES, LEGACY_STATES } from "../states.ts";
import type {
  LegacyArtifact,
  LegacyArtifactUpdate,
  LegacyMessage,
  LegacyPart,
  LegacyStatusUpdate,
  LegacyTask,
  LegacyTaskPushNotificationConfig,
  LegacyTaskStatus,
} from "./shapes.ts";

export function legacyTaskOf(task: Task): LegacyTask {
  const { id, contextId = "", status, history, artifacts, metadata } = task;
  return {
    kind: "task",
    id,
    contextId,
    status: legacyStatusOf(status),
    history: history?.map(legacyMessageOf),
    artifacts: artifacts?.map(legacyArtifactOf),
    metadata,
  };
}

export function legacyStatusUpdateOf(event: TaskStatusUpdateEvent): LegacyStatusUpdate {
  const { taskId, contextId, status, metadata } = event;
  return {
    kind: "status-update",
    status: legacyStatusOf(status),
    taskId,
    contextId,
    metadata,
  };
}

export function legacyArtifactUpdateOf(event: TaskArtifactUpdateEvent): LegacyArtifactUpdate {
  const { taskId, contextId, artifact, append, lastChunk, metadata } = event;
  return {
    kind: "artifact-update",
    taskId,
    contextId,
    artifact: legacyArtifactOf(artifact),
    append,
    lastChunk,
    metadata,
  };
}

export function legacyStatusOf({ state, message, timestamp }: TaskStatus): LegacyTaskStatus {
  return {
    state: LEGACY_STATES[state],
    message: message && legacyMessageOf(message),
    timestamp,
  };
}

export function legacyMessageOf(message: Message): LegacyMessage {
  const { messageId, contextId, taskId, role, parts } = message;
  const { metadata, extensions, referenceTaskIds } = message;
  return {
    kind: "message",
    messageId,
    contextId,
    taskId,
    role: LEGACY_ROLES[role],
    parts: parts.map(legacyPartOf),
    metadata,
    extensions,
    referenceTaskIds,
  };
}

export function legacyArtifactOf(artifact: Artifact): LegacyArtifact {
  const { artifactId, name, description, parts, metadata, extensions } = artifact;
  return {
    artifactId,
    name,
    description,
    parts: parts.map(legacyPartOf),
    metadata,
    extensions,
  };
}

function legacyPartOf({ text, raw, url, data, metadata, filename, mediaType }: Part): LegacyPart {
  if (text !== undefined) return { kind: "text", text, metadata };
  if (raw !== undefined)
    return { kind: "file", file: { bytes: raw, mimeType: mediaType, name: filename }, metadata };
  if (url !== undefined)
    return { kind: "file", file: { uri: url, mimeType: mediaType, name: filename }, metadata };
  const part = wrapped(data ?? null, metadata);
  return { kind: "data", data: part.data, metadata: part.metadata };
}

export function legacyPushConfigOf(
  config: TaskPushNotificationConfig,
): LegacyTaskPushNotificationConfig {
  const { taskId = "", id, url, token, authentication } = config;
  return {
    taskId,
    pushNotificationConfig: {
      id,
      url,
      token,
      authentication: authentication && {
        schemes: [authentication.scheme],
        credentials: authentication.credentials,
      },
    },
  };
}
