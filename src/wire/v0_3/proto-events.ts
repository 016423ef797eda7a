/** What a call answers with and what a stream carries (spec 0.3, 7.1 and 7.2). */
import type {
  SendMessageResponse,
  StreamResponse,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from "../../protocol/model.ts";
import { modelOf } from "../../protocol/ready-made.ts";
import type { StreamOperations } from "../../protocol/service.ts";
import { STREAM_ENDS } from "../../protocol/states.ts";
import { messageOf, protoMessageOf } from "./proto-message.ts";
import type {
  ProtoArtifactUpdate,
  ProtoSendResponse,
  ProtoStatusUpdate,
  ProtoStreamResponse,
} from "./proto-model.ts";
import {
  artifactOf,
  protoArtifactOf,
  protoStatusOf,
  protoTaskOf,
  statusOf,
  taskOf,
} from "./proto-task.ts";
import type { Draft } from "./draft.ts";

/** Whether an event ends the stream of a message that was sent, but not that of a subscription. */
export function endsSendingOnly(response: StreamResponse): boolean {
  if (!("statusUpdate" in response)) return false;
  const { state } = response.statusUpdate.status;
  return STREAM_ENDS.sendStreamingMessage(state) && !STREAM_ENDS.subscribeToTask(state);
}

export function protoSendOf(response: SendMessageResponse): ProtoSendResponse {
  return "task" in response
    ? { task: protoTaskOf(modelOf(response.task)) }
    : { message: protoMessageOf(response.message) };
}

export function sendOf(response: ProtoSendResponse): SendMessageResponse {
  return "task" in response
    ? { task: taskOf(response.task) }
    : { message: messageOf(response.message) };
}

export function protoEventOf(
  response: StreamResponse,
  stream: keyof StreamOperations,
): ProtoStreamResponse {
  if ("statusUpdate" in response)
    return { statusUpdate: protoStatusUpdateOf(response.statusUpdate, stream) };
  if ("artifactUpdate" in response)
    return { artifactUpdate: protoArtifactUpdateOf(response.artifactUpdate) };
  return protoSendOf(response);
}

/** `final` is left out: in 1.0 the state and the end of the stream say it. */
export function eventOf(response: ProtoStreamResponse): StreamResponse {
  if ("statusUpdate" in response) return { statusUpdate: statusUpdateOf(response.statusUpdate) };
  if ("artifactUpdate" in response)
    return { artifactUpdate: artifactUpdateOf(response.artifactUpdate) };
  return sendOf(response);
}

function protoStatusUpdateOf(
  update: TaskStatusUpdateEvent,
  stream: keyof StreamOperations,
): ProtoStatusUpdate {
  const { taskId, contextId, status, metadata } = update;
  const final = STREAM_ENDS[stream](status.state);
  const out: Draft<ProtoStatusUpdate> = {
    taskId,
    contextId,
    status: protoStatusOf(status),
    final,
  };
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

function statusUpdateOf({
  taskId,
  contextId,
  status,
  metadata,
}: ProtoStatusUpdate): TaskStatusUpdateEvent {
  const out: Draft<TaskStatusUpdateEvent> = { taskId, contextId, status: statusOf(status) };
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

function protoArtifactUpdateOf(update: TaskArtifactUpdateEvent): ProtoArtifactUpdate {
  const { taskId, contextId, artifact, append, lastChunk, metadata } = update;
  const out: Draft<ProtoArtifactUpdate> = {
    taskId,
    contextId,
    artifact: protoArtifactOf(artifact),
  };
  if (append !== undefined) out.append = append;
  if (lastChunk !== undefined) out.lastChunk = lastChunk;
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}

function artifactUpdateOf(update: ProtoArtifactUpdate): TaskArtifactUpdateEvent {
  const { taskId, contextId, artifact, append, lastChunk, metadata } = update;
  const out: Draft<TaskArtifactUpdateEvent> = {
    taskId,
    contextId,
    artifact: artifactOf(artifact),
  };
  if (append !== undefined) out.append = append;
  if (lastChunk !== undefined) out.lastChunk = lastChunk;
  if (metadata !== undefined) out.metadata = metadata;
  return out;
}
