import type { OperationName } from "../../protocol/service.ts";

/** The names of the operations in version 1.0: one spelling for the methods of JSON-RPC (spec 9.4) and of gRPC. */
export const methods: ReadonlyMap<string, OperationName> = new Map([
  ["SendMessage", "sendMessage"],
  ["SendStreamingMessage", "sendStreamingMessage"],
  ["GetTask", "getTask"],
  ["ListTasks", "listTasks"],
  ["CancelTask", "cancelTask"],
  ["SubscribeToTask", "subscribeToTask"],
  ["CreateTaskPushNotificationConfig", "createTaskPushNotificationConfig"],
  ["GetTaskPushNotificationConfig", "getTaskPushNotificationConfig"],
  ["ListTaskPushNotificationConfigs", "listTaskPushNotificationConfigs"],
  ["DeleteTaskPushNotificationConfig", "deleteTaskPushNotificationConfig"],
  ["GetExtendedAgentCard", "getExtendedAgentCard"],
]);
