/**
 * Answers as ProtoJSON of 0.3. As on gRPC, what is ready-made is converted fragment by fragment, and the text is kept.
 * An answer without a task is `{"message": …}`, the JSON name of the protobuf's field `msg`: all clients read it.
 */
import type {
  ListTaskPushNotificationConfigsResponse,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskOutput,
} from "../../protocol/model.ts";
import {
  fragmentsOf,
  isReadyMade,
  JsonText,
  type Fragment,
  type ReadyMade,
} from "../../protocol/ready-made.ts";
import type { StreamItem, StreamOperations } from "../../protocol/service.ts";
import { endsSendingOnly, protoEventOf, protoSendOf } from "./proto-events.ts";
import type { ProtoListPushConfigsResponse } from "./proto-model.ts";
import { protoTaskOf } from "./proto-task.ts";
import { protoTaskPushConfigOf } from "./push-configs.ts";
import { membersOf, parsed } from "./fragments.ts";
import { olderFormsOf, type OlderForms } from "./older-forms.ts";

export function jsonOfTask(task: TaskOutput): unknown {
  return isReadyMade(task) ? new JsonText(textOfTask(task)) : protoTaskOf(task);
}

export function jsonOfSend(response: SendMessageResponse): unknown {
  return "task" in response && isReadyMade(response.task)
    ? new JsonText(`{"task":${textOfTask(response.task)}}`)
    : protoSendOf(response);
}

/** The same event may end one stream and not another. */
export function jsonOfItem(stream: keyof StreamOperations): (item: StreamItem) => unknown {
  return ({ response }) => {
    if (isReadyMade(response)) return new JsonText(textOfEvent(response, stream));
    return "task" in response ? jsonOfSend(response) : protoEventOf(response, stream);
  };
}

export function jsonOfPushConfigs({
  configs,
  nextPageToken = "",
}: ListTaskPushNotificationConfigsResponse): ProtoListPushConfigsResponse {
  return {
    configs: configs.map(protoTaskPushConfigOf),
    ...(nextPageToken !== "" && { nextPageToken }),
  };
}

function textOfTask(task: ReadyMade<Task>): string {
  let text = "";
  for (const fragment of fragmentsOf(task)) {
    if (fragment.members === "") continue;
    const older = olderFormsOf(fragment);
    older.json ??= membersOf(protoTaskOf(parsed<Task>(fragment)));
    text += text === "" ? older.json : `,${older.json}`;
  }
  return `{${text}}`;
}

/** An event has one member, so that it is one fragment. */
function textOfEvent(event: ReadyMade<StreamResponse>, stream: keyof StreamOperations): string {
  const [fragment] = fragmentsOf(event);
  if (fragment === undefined) throw new Error("an event without a member");
  const older = olderFormsOf(fragment);
  older.json ??= writeEvent(fragment, older);
  const ending = stream === "sendStreamingMessage" ? older.ending?.json : undefined;
  return `{${ending ?? older.json}}`;
}

function writeEvent(fragment: Fragment, older: OlderForms): string {
  const response = parsed<StreamResponse>(fragment);
  if (endsSendingOnly(response)) {
    const ending = protoEventOf(response, "sendStreamingMessage");
    (older.ending ??= {}).json = membersOf(ending);
  }
  return membersOf(protoEventOf(response, "subscribeToTask"));
}
