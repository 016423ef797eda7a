/**
 * (task, event) → task: the only place where a task changes. A live task belongs to one execution, which changes it in
 * place, so that the 20,000th chunk of an artifact costs what the first one did.
 */
import type { JsonObject } from "../protocol/json.ts";
import type {
  Artifact,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../protocol/model.ts";

/**
 * What happens to a task, as its log keeps it. `history` holds the messages that enter the history with a status:
 * the message of the status before, and the caller's message that opens a turn.
 */
export type TaskEvent =
  | { readonly task: Task }
  | { readonly statusUpdate: TaskStatusUpdateEvent; readonly history?: readonly Message[] }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };

type LiveArtifact = Omit<Artifact, "parts"> & { parts: Part[] };

export interface LiveTask {
  readonly id: string;
  readonly contextId: string;
  status: TaskStatus;
  history: Message[];
  artifacts: LiveArtifact[];
  metadata: JsonObject | undefined;
}

/** A live task of its own: nothing is shared with the argument that a later event would change. */
export function liveTaskOf(task: Task): LiveTask {
  return {
    id: task.id,
    contextId: task.contextId ?? "",
    status: task.status,
    history: [...(task.history ?? [])],
    artifacts: (task.artifacts ?? []).map(ownArtifact),
    metadata: task.metadata,
  };
}

/** The task as it is now, as an object that later events do not change. */
export function taskOf(live: LiveTask): Task {
  return {
    id: live.id,
    contextId: live.contextId,
    status: live.status,
    artifacts: live.artifacts.map(ownArtifact),
    history: [...live.history],
    ...(live.metadata && { metadata: live.metadata }),
  };
}

export function applyEvent(live: LiveTask, event: TaskEvent): void {
  if ("statusUpdate" in event) return applyStatus(live, event.statusUpdate, event.history);
  if ("artifactUpdate" in event) return applyArtifact(live, event.artifactUpdate);
  Object.assign(live, liveTaskOf(event.task));
}

function applyStatus(
  live: LiveTask,
  { status, metadata }: TaskStatusUpdateEvent,
  history: readonly Message[] | undefined,
): void {
  live.status = status;
  if (history) live.history.push(...history);
  if (metadata) live.metadata = { ...live.metadata, ...metadata };
}

function applyArtifact(live: LiveTask, { artifact, append }: TaskArtifactUpdateEvent): void {
  const known = lastIndexOf(live.artifacts, artifact.artifactId);
  const before = live.artifacts[known];
  if (before === undefined) live.artifacts.push(ownArtifact(artifact));
  else if (append) appendTo(before, artifact);
  else live.artifacts[known] = ownArtifact(artifact);
}

/** From the end: chunks nearly always belong to the artifact that came last. */
function lastIndexOf(artifacts: readonly LiveArtifact[], id: string): number {
  for (let index = artifacts.length - 1; index >= 0; index--) {
    if (artifacts[index]?.artifactId === id) return index;
  }
  return -1;
}

function appendTo(before: LiveArtifact, { parts, artifactId: _, ...rest }: Artifact): void {
  for (const part of parts) before.parts.push(part);
  const metadata = rest.metadata && { ...before.metadata, ...rest.metadata };
  Object.assign(before, rest, metadata && { metadata });
}

function ownArtifact(artifact: Artifact): LiveArtifact {
  // Not { ...artifact, parts }: properties after a spread give every object a shape of its own, at 15 times the price.
  return Object.assign({}, artifact, { parts: [...artifact.parts] });
}
