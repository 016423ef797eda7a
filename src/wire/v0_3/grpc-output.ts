/**
 * Answers as protobuf of 0.3. What is ready-made is converted fragment by fragment; each one's bytes are kept with it,
 * so that a task that is asked for again, or an event that goes to many, is converted once.
 */
import type {
  ListTaskPushNotificationConfigsResponse,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskOutput,
  TaskPushNotificationConfig,
} from "../../protocol/model.ts";
import {
  fragmentsOf,
  isReadyMade,
  type Fragment,
  type ReadyMade,
} from "../../protocol/ready-made.ts";
import type { StreamItem, StreamOperations } from "../../protocol/service.ts";
import { asMember, joined } from "../proto-members.ts";
import { parsed } from "./fragments.ts";
import { messages } from "./messages.ts";
import { endsSendingOnly, protoEventOf, protoSendOf } from "./proto-events.ts";
import { protoTaskOf } from "./proto-task.ts";
import { protoTaskPushConfigOf } from "./push-configs.ts";
import { olderFormsOf, type OlderForms } from "./older-forms.ts";

const TASK_IN_SEND = messages.SendMessageResponse.tagOf("task");
const TASK_IN_STREAM = messages.StreamResponse.tagOf("task");

export function bytesOfTask(task: TaskOutput): Uint8Array {
  if (!isReadyMade(task)) return messages.Task.toProto(protoTaskOf(task));
  const older = olderFormsOf(task);
  return (older.bytes ??= joined(chunksOfTask(task)));
}

export function bytesOfSend(response: SendMessageResponse): Uint8Array {
  return "task" in response && isReadyMade(response.task)
    ? joined(asMember(TASK_IN_SEND, chunksOfTask(response.task)))
    : messages.SendMessageResponse.toProto(protoSendOf(response));
}

/** The same event may end one stream and not another. */
export function bytesOfItem(stream: keyof StreamOperations): (item: StreamItem) => Uint8Array {
  return ({ response }) => {
    if (isReadyMade(response)) return bytesOfEvent(response, stream);
    return "task" in response && isReadyMade(response.task)
      ? joined(asMember(TASK_IN_STREAM, chunksOfTask(response.task)))
      : messages.StreamResponse.toProto(protoEventOf(response, stream));
  };
}

export function bytesOfPushConfig(config: TaskPushNotificationConfig): Uint8Array {
  return messages.TaskPushNotificationConfig.toProto(protoTaskPushConfigOf(config));
}

export function bytesOfPushConfigs({
  configs,
  nextPageToken = "",
}: ListTaskPushNotificationConfigsResponse): Uint8Array {
  return messages.ListTaskPushNotificationConfigResponse.toProto({
    configs: configs.map(protoTaskPushConfigOf),
    nextPageToken,
  });
}

function chunksOfTask(task: ReadyMade<Task>): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (const fragment of fragmentsOf(task)) {
    if (fragment.members === "") continue;
    const older = olderFormsOf(fragment);
    older.bytes ??= messages.Task.toProto(protoTaskOf(parsed<Task>(fragment)));
    chunks.push(older.bytes);
  }
  return chunks;
}

/** An event has one member, so that it is one fragment. */
function bytesOfEvent(
  event: ReadyMade<StreamResponse>,
  stream: keyof StreamOperations,
): Uint8Array {
  const [fragment] = fragmentsOf(event);
  if (fragment === undefined) throw new Error("an event without a member");
  const older = olderFormsOf(fragment);
  older.bytes ??= encodeEvent(fragment, older);
  return (stream === "sendStreamingMessage" ? older.ending?.bytes : undefined) ?? older.bytes;
}

function encodeEvent(fragment: Fragment, older: OlderForms): Uint8Array {
  const response = parsed<StreamResponse>(fragment);
  if (endsSendingOnly(response)) {
    const ending = protoEventOf(response, "sendStreamingMessage");
    (older.ending ??= {}).bytes = messages.StreamResponse.toProto(ending);
  }
  return messages.StreamResponse.toProto(protoEventOf(response, "subscribeToTask"));
}
