/** The operations as version 0.3 spells them, on the bindings where it is held against 1.0. */
import type { Answer } from "./clients/client.ts";
import { httpRequest } from "./clients/http.ts";
import { checkStory, checkTask, type Events, type TaskView } from "./checks.ts";
import { decodeMessage, encodeMessage } from "./messages.ts";
import {
  headersOf,
  newMessage,
  sseData,
  SUCCESS,
  type Binding,
  type Operation,
} from "./operations.ts";
import type { Target } from "./targets.ts";

const PACKAGE = "a2a.v1";

export const olderSend = olderOperation("send", "SendMessage", (target, binding) => {
  const { text, rpc, proto } = olderMessage();
  const request =
    binding === "grpc"
      ? encodeMessage("SendMessageRequest", proto, PACKAGE)
      : rpcRequest(target, "message/send", rpc);
  const check = (answer: Answer): void => {
    const task = binding === "grpc" ? answered(answer).task : resultOf(textOf(answer));
    checkTask(newer(task), { text });
  };
  return { request, check };
  function answered(answer: Answer): { task?: TaskView } {
    return decodeMessage("SendMessageResponse", bytesOf(answer, binding), PACKAGE) as object;
  }
});

export const olderStream = olderOperation("stream", "SendStreamingMessage", (target, binding) => {
  const { text, rpc, proto } = olderMessage();
  const request =
    binding === "grpc"
      ? encodeMessage("SendMessageRequest", proto, PACKAGE)
      : rpcRequest(target, "message/stream", rpc, true);
  return { request, check: (answer) => checkStory(eventsOf(answer, binding), text) };
});

export const olderGet = olderOperation("get", "GetTask", (target, binding, { known }, count) => {
  const { id, text } = known[count % known.length] ?? { id: "", text: "" };
  const request =
    binding === "grpc"
      ? encodeMessage("GetTaskRequest", { name: `tasks/${id}` }, PACKAGE)
      : rpcRequest(target, "tasks/get", { id });
  const check = (answer: Answer): void => {
    const task =
      binding === "grpc"
        ? decodeMessage("Task", bytesOf(answer, binding), PACKAGE)
        : resultOf(textOf(answer));
    checkTask(newer(task as TaskView), { id, text });
  };
  return { request, check };
});

function olderOperation(name: string, method: string, next: Operation["next"]): Operation {
  return { name, method, version: "0.3", isStream: method === "SendStreamingMessage", next };
}

function olderMessage() {
  const { text, params } = newMessage();
  const { messageId } = params.message;
  const parts = [{ kind: "text", text }];
  return {
    text,
    rpc: { message: { kind: "message", messageId, role: "user", parts } },
    proto: { request: { messageId, role: "ROLE_USER", content: [{ text }] } },
  };
}

function rpcRequest(target: Target, method: string, params: object, isStream = false): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { ...headersOf(isStream), "A2A-Version": "0.3" };
  return httpRequest("POST", target.jsonrpc, headers, body);
}

function bytesOf({ status, messages }: Answer, binding: Binding): Buffer {
  const [body = Buffer.alloc(0)] = messages;
  if (status !== SUCCESS[binding])
    throw new Error(`status ${status}: ${body.toString("utf8", 0, 200)}`);
  return body;
}

function textOf(answer: Answer): string {
  return bytesOf(answer, "jsonrpc").toString();
}

type Result = TaskView & { readonly kind?: string };

function resultOf(text: string): Result {
  const { result, error } = JSON.parse(text) as { result?: Result; error?: unknown };
  if (result === undefined) throw new Error(`error ${JSON.stringify(error).slice(0, 200)}`);
  return result;
}

function eventsOf(answer: Answer, binding: Binding): Events {
  if (binding === "grpc")
    return answer.messages.map((bytes) =>
      decodeMessage("StreamResponse", bytes, PACKAGE),
    ) as Events;
  return sseData(textOf(answer)).map((data) => {
    const result = resultOf(data);
    if (result.kind === "task") return { task: newer(result) };
    if (result.kind === "status-update") return { statusUpdate: newer(result) };
    return { artifactUpdate: result };
  }) as Events;
}

/** The view with the state in the spelling of 1.0, which the checks read. */
function newer<T extends TaskView | undefined>(task: T): T {
  if (task?.status?.state !== "completed") return task;
  return { ...task, status: { ...task.status, state: "TASK_STATE_COMPLETED" } };
}
