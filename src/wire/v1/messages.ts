/** The messages of A2A 1.0, as the codecs need them. */
import type * as model from "../../protocol/model.ts";
import { openSchema, type MessageSchema } from "../schema.ts";

export const PROTO = "a2a/v1/a2a.proto";

const schema = openSchema(PROTO);

function message<T extends object>(name: string): MessageSchema<T> {
  return schema.message<T>(`lf.a2a.v1.${name}`);
}

export const messages = {
  Task: message<model.Task>("Task"),
  Message: message<model.Message>("Message"),
  SendMessageRequest: message<model.SendMessageRequest>("SendMessageRequest"),
  SendMessageResponse: message<model.SendMessageResponse>("SendMessageResponse"),
  StreamResponse: message<model.StreamResponse>("StreamResponse"),
  GetTaskRequest: message<model.GetTaskRequest>("GetTaskRequest"),
  ListTasksRequest: message<model.ListTasksRequest>("ListTasksRequest"),
  ListTasksResponse: message<model.ListTasksResponse>("ListTasksResponse"),
  CancelTaskRequest: message<model.CancelTaskRequest>("CancelTaskRequest"),
  SubscribeToTaskRequest: message<model.SubscribeToTaskRequest>("SubscribeToTaskRequest"),
  TaskPushNotificationConfig: message<model.TaskPushNotificationConfig>(
    "TaskPushNotificationConfig",
  ),
  GetTaskPushNotificationConfigRequest: message<model.GetTaskPushNotificationConfigRequest>(
    "GetTaskPushNotificationConfigRequest",
  ),
  ListTaskPushNotificationConfigsRequest: message<model.ListTaskPushNotificationConfigsRequest>(
    "ListTaskPushNotificationConfigsRequest",
  ),
  ListTaskPushNotificationConfigsResponse: message<model.ListTaskPushNotificationConfigsResponse>(
    "ListTaskPushNotificationConfigsResponse",
  ),
  DeleteTaskPushNotificationConfigRequest: message<model.DeleteTaskPushNotificationConfigRequest>(
    "DeleteTaskPushNotificationConfigRequest",
  ),
  GetExtendedAgentCardRequest: message<model.GetExtendedAgentCardRequest>(
    "GetExtendedAgentCardRequest",
  ),
  AgentCard: message<model.AgentCard>("AgentCard"),
} as const;
