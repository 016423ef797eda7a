/**
 * Requests of HTTP+JSON 0.3 that are about one task or one push config: the path names it, the rest is in the query or
 * the body. A body that names something else is refused.
 */
import { A2AError, invalidParams } from "../../protocol/errors.ts";
import type {
  CancelTaskRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "../../protocol/model.ts";
import type { RestInput } from "../dialect.ts";
import { isObject } from "../schema/objects.ts";
import { messages } from "./messages.ts";
import { nameOfTask } from "./names.ts";
import { getTaskRequestOf, listPushConfigsRequestOf } from "./proto-requests.ts";
import { createdPushConfigOf, createRequestIn } from "./push-configs.ts";
import { sendRequestIn } from "./rest-send.ts";

export function sendMessageIn({ body }: RestInput): SendMessageRequest {
  return sendRequestIn(body);
}

/** `historyLength=0` asks for none: where there is text, zero can be told from absent. */
export function getTaskIn({ params, query }: RestInput): GetTaskRequest {
  const id = idIn(params);
  const named = withParameter(query, "name", nameOfTask(id));
  const { historyLength } = messages.GetTaskRequest.decodeQuery(named);
  const said = query.get("historyLength") ?? query.get("history_length") ?? "";
  return getTaskRequestOf(id, historyLength ?? (said === "" ? undefined : 0));
}

export function cancelTaskIn({ params, body }: RestInput): CancelTaskRequest {
  return { id: agreedId(params, body) };
}

export function subscribeToTaskIn({ params, body }: RestInput): SubscribeToTaskRequest {
  return { id: agreedId(params, body) };
}

export function createPushConfigIn({ params, body }: RestInput): TaskPushNotificationConfig {
  const id = idIn(params);
  const wire = createRequestIn(body ?? {}, id);
  return createdPushConfigOf(messages.CreateTaskPushNotificationConfigRequest.decode(wire), id);
}

export function pushConfigIn({ params }: RestInput): GetTaskPushNotificationConfigRequest {
  return { taskId: idIn(params), id: params["configId"] ?? "" };
}

export function listPushConfigsIn({
  params,
  query,
}: RestInput): ListTaskPushNotificationConfigsRequest {
  const id = idIn(params);
  const named = withParameter(query, "parent", nameOfTask(id));
  return listPushConfigsRequestOf(
    messages.ListTaskPushNotificationConfigRequest.decodeQuery(named),
    id,
  );
}

function idIn({ id = "" }: RestInput["params"]): string {
  return id;
}

function withParameter(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const merged = new URLSearchParams(query);
  merged.set(name, value);
  return merged;
}

/** The task of the path; the protobuf's request, which some clients send, names it once more. */
function agreedId(params: RestInput["params"], body: unknown): string {
  const id = idIn(params);
  const given = body ?? {};
  if (!isObject(given)) throw new A2AError("INVALID_PARAMS", "the body is not a JSON object");
  const name = given["name"] ?? "";
  if (name !== "" && name !== nameOfTask(id))
    throw invalidParams([{ field: "name", description: "differs between the path and the body" }]);
  return id;
}
