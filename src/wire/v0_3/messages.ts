/** The messages of the A2A 0.3 protobuf, as the codecs need them. */
import { openSchema, type MessageSchema } from "../schema.ts";
import type { ProtoAgentCard } from "./proto-card.ts";
import type * as proto from "./proto-model.ts";

export const PROTO = "a2a/v0_3/a2a.proto";

const schema = openSchema(PROTO);

function message<T extends object>(name: string): MessageSchema<T> {
  return schema.message<T>(`a2a.v1.${name}`);
}

export const messages = {
  Task: message<proto.ProtoTask>("Task"),
  SendMessageRequest: message<proto.ProtoSendRequest>("SendMessageRequest"),
  SendMessageResponse: message<proto.ProtoSendResponse>("SendMessageResponse"),
  StreamResponse: message<proto.ProtoStreamResponse>("StreamResponse"),
  GetTaskRequest: message<proto.ProtoGetTaskRequest>("GetTaskRequest"),
  CancelTaskRequest: message<proto.ProtoNameRequest>("CancelTaskRequest"),
  TaskSubscriptionRequest: message<proto.ProtoNameRequest>("TaskSubscriptionRequest"),
  TaskPushNotificationConfig: message<proto.ProtoTaskPushConfig>("TaskPushNotificationConfig"),
  CreateTaskPushNotificationConfigRequest: message<proto.ProtoCreatePushConfigRequest>(
    "CreateTaskPushNotificationConfigRequest",
  ),
  GetTaskPushNotificationConfigRequest: message<proto.ProtoNameRequest>(
    "GetTaskPushNotificationConfigRequest",
  ),
  ListTaskPushNotificationConfigRequest: message<proto.ProtoListPushConfigsRequest>(
    "ListTaskPushNotificationConfigRequest",
  ),
  ListTaskPushNotificationConfigResponse: message<proto.ProtoListPushConfigsResponse>(
    "ListTaskPushNotificationConfigResponse",
  ),
  DeleteTaskPushNotificationConfigRequest: message<proto.ProtoNameRequest>(
    "DeleteTaskPushNotificationConfigRequest",
  ),
  AgentCard: message<ProtoAgentCard>("AgentCard"),
} as const;
