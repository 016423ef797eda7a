/** The operations' codecs on the bindings of 1.0: one pair for JSON-RPC and HTTP+JSON, one for gRPC. */
import type { OperationName, RequestOf } from "../../protocol/service.ts";
import type { Codecs } from "../dialect.ts";
import type { MessageSchema } from "../schema.ts";
import { jsonOfItem, jsonOfList, jsonOfSend, jsonOfTask } from "./json-output.ts";
import { messages } from "./messages.ts";
import { bytesOfItem, bytesOfList, bytesOfSend, bytesOfTask } from "./proto-output.ts";

type Requests = { readonly [N in OperationName]: MessageSchema<RequestOf<N>> };

export const requests: Requests = {
  sendMessage: messages.SendMessageRequest,
  sendStreamingMessage: messages.SendMessageRequest,
  getTask: messages.GetTaskRequest,
  listTasks: messages.ListTasksRequest,
  cancelTask: messages.CancelTaskRequest,
  subscribeToTask: messages.SubscribeToTaskRequest,
  createTaskPushNotificationConfig: messages.TaskPushNotificationConfig,
  getTaskPushNotificationConfig: messages.GetTaskPushNotificationConfigRequest,
  listTaskPushNotificationConfigs: messages.ListTaskPushNotificationConfigsRequest,
  deleteTaskPushNotificationConfig: messages.DeleteTaskPushNotificationConfigRequest,
  getExtendedAgentCard: messages.GetExtendedAgentCardRequest,
};

/** Both JSON bindings: the request is parsed JSON or, where HTTP has no body, the query. Absent params count as `{}`. */
export const jsonCodecs: Required<Codecs> = {
  sendMessage: { decode: fromJson(requests.sendMessage), encode: jsonOfSend },
  sendStreamingMessage: { decode: fromJson(requests.sendStreamingMessage), encode: jsonOfItem },
  getTask: { decode: fromJson(requests.getTask), encode: jsonOfTask },
  listTasks: { decode: fromJson(requests.listTasks), encode: jsonOfList },
  cancelTask: { decode: fromJson(requests.cancelTask), encode: jsonOfTask },
  subscribeToTask: { decode: fromJson(requests.subscribeToTask), encode: jsonOfItem },
  createTaskPushNotificationConfig: {
    decode: fromJson(requests.createTaskPushNotificationConfig),
    encode: asItIs,
  },
  getTaskPushNotificationConfig: {
    decode: fromJson(requests.getTaskPushNotificationConfig),
    encode: asItIs,
  },
  listTaskPushNotificationConfigs: {
    decode: fromJson(requests.listTaskPushNotificationConfigs),
    encode: asItIs,
  },
  deleteTaskPushNotificationConfig: {
    decode: fromJson(requests.deleteTaskPushNotificationConfig),
    encode: asItIs,
  },
  getExtendedAgentCard: { decode: fromJson(requests.getExtendedAgentCard), encode: asItIs },
};

export const grpcCodecs: Required<Codecs> = {
  sendMessage: { decode: fromProto(requests.sendMessage), encode: bytesOfSend },
  sendStreamingMessage: { decode: fromProto(requests.sendStreamingMessage), encode: bytesOfItem },
  getTask: { decode: fromProto(requests.getTask), encode: bytesOfTask },
  listTasks: { decode: fromProto(requests.listTasks), encode: bytesOfList },
  cancelTask: { decode: fromProto(requests.cancelTask), encode: bytesOfTask },
  subscribeToTask: { decode: fromProto(requests.subscribeToTask), encode: bytesOfItem },
  createTaskPushNotificationConfig: {
    decode: fromProto(requests.createTaskPushNotificationConfig),
    encode: messages.TaskPushNotificationConfig.toProto,
  },
  getTaskPushNotificationConfig: {
    decode: fromProto(requests.getTaskPushNotificationConfig),
    encode: messages.TaskPushNotificationConfig.toProto,
  },
  listTaskPushNotificationConfigs: {
    decode: fromProto(requests.listTaskPushNotificationConfigs),
    encode: messages.ListTaskPushNotificationConfigsResponse.toProto,
  },
  deleteTaskPushNotificationConfig: {
    decode: fromProto(requests.deleteTaskPushNotificationConfig),
    encode: () => new Uint8Array(),
  },
  getExtendedAgentCard: {
    decode: fromProto(requests.getExtendedAgentCard),
    encode: messages.AgentCard.toProto,
  },
};

function fromJson<T>(request: MessageSchema<T>): (wire: unknown) => T {
  return (wire) =>
    wire instanceof URLSearchParams ? request.decodeQuery(wire) : request.decode(wire ?? {});
}

function fromProto<T>(request: MessageSchema<T>): (wire: unknown) => T {
  return (wire) => request.fromProto(wire as Uint8Array);
}

function asItIs(output: object): object {
  return output;
}
