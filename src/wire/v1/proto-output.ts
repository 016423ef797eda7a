/**
 * Answers as protobuf bytes. Messages may be written one after the other to make one message of all their fields,
 * so a ready-made object is the concatenation of its fragments; each fragment's bytes are made once and kept with it.
 */
import type { ListTasksResponse, SendMessageResponse, TaskOutput } from "../../protocol/model.ts";
import { fragmentsOf, isReadyMade, type ReadyMade } from "../../protocol/ready-made.ts";
import type { StreamItem } from "../../protocol/service.ts";
import type { MessageSchema } from "../schema.ts";
import { asMember, joined, writeTagAndLength } from "../proto-members.ts";
import { varintSize } from "../schema/proto-writer.ts";
import { messages } from "./messages.ts";

const TASK_IN_SEND = messages.SendMessageResponse.tagOf("task");
const TASK_IN_STREAM = messages.StreamResponse.tagOf("task");
const TASK_IN_LIST = messages.ListTasksResponse.tagOf("tasks");

export function bytesOfTask(task: TaskOutput): Uint8Array {
  return isReadyMade(task)
    ? (task.bytes ??= joined(taskChunks(task)))
    : messages.Task.toProto(task);
}

export function bytesOfSend(response: SendMessageResponse): Uint8Array {
  return "task" in response
    ? joined(asMember(TASK_IN_SEND, taskChunks(response.task)))
    : messages.SendMessageResponse.toProto(response);
}

export function bytesOfItem({ response }: StreamItem): Uint8Array {
  if (isReadyMade(response)) return joined(chunksOf(response, messages.StreamResponse));
  return "task" in response
    ? joined(asMember(TASK_IN_STREAM, taskChunks(response.task)))
    : messages.StreamResponse.toProto(response);
}

export function bytesOfList({ tasks, ...rest }: ListTasksResponse): Uint8Array {
  const bodies = tasks.map(bytesOfTask);
  const tail = messages.ListTasksResponse.toProto({ tasks: [], ...rest });
  let size = tail.length;
  for (const { length } of bodies) size += 1 + varintSize(length) + length;
  const bytes = Buffer.allocUnsafe(size);
  let position = 0;
  for (const body of bodies) {
    position = writeTagAndLength(bytes, position, TASK_IN_LIST, body.length);
    bytes.set(body, position);
    position += body.length;
  }
  bytes.set(tail, position);
  return bytes;
}

function taskChunks(task: TaskOutput): readonly Uint8Array[] {
  return isReadyMade(task) ? chunksOf(task, messages.Task) : [messages.Task.toProto(task)];
}

function chunksOf<T>(ready: ReadyMade<unknown>, schema: MessageSchema<T>): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (const fragment of fragmentsOf(ready)) {
    if (fragment.members === "") continue;
    fragment.bytes ??= schema.toProto(JSON.parse(`{${fragment.members}}`) as T);
    chunks.push(fragment.bytes);
  }
  return chunks;
}
