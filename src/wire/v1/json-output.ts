/** Answers on the JSON bindings: the model is the wire form already; what is ready-made is spliced in as text. */
import type {
  ListTasksResponse,
  SendMessageResponse,
  StreamResponse,
  TaskOutput,
} from "../../protocol/model.ts";
import { isReadyMade, JsonText, jsonTextOf } from "../../protocol/ready-made.ts";
import type { StreamItem } from "../../protocol/service.ts";

export function jsonOfTask(task: TaskOutput): unknown {
  return isReadyMade(task) ? new JsonText(jsonTextOf(task)) : task;
}

export function jsonOfSend(response: SendMessageResponse): unknown {
  return withTask(response);
}

export function jsonOfItem({ response }: StreamItem): unknown {
  return isReadyMade(response) ? new JsonText(jsonTextOf(response)) : withTask(response);
}

/** All four members, also when they are empty or zero (spec 3.1.4). */
export function jsonOfList(response: ListTasksResponse): unknown {
  const { tasks, nextPageToken, pageSize, totalSize } = response;
  const texts = tasks.map((task) => (isReadyMade(task) ? jsonTextOf(task) : JSON.stringify(task)));
  const rest = JSON.stringify({ nextPageToken, pageSize, totalSize });
  return new JsonText(`{"tasks":[${texts.join(",")}],${rest.slice(1)}`);
}

function withTask(response: SendMessageResponse | StreamResponse): unknown {
  return "task" in response && isReadyMade(response.task)
    ? new JsonText(`{"task":${jsonTextOf(response.task)}}`)
    : response;
}
