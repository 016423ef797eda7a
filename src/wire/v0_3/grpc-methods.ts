import type { OperationName } from "../../protocol/service.ts";

/** The names of the operations on gRPC in version 0.3 (spec 0.3, 3.5.6). It has no ListTasks. */
export const grpcMethods: ReadonlyMap<string, OperationName> = new Map([
  ["SendMessage", "sendMessage"],
  ["SendStreamingMessage", "sendStreamingMessage"],
  ["GetTask", "getTask"],
  ["CancelTask", "cancelTask"],
  ["TaskSubscription", "subscribeToTask"],
  ["CreateTaskPushNotificationConfig", "createTaskPushNotificationConfig"],
  ["GetTaskPushNotificationConfig", "getTaskPushNotificationConfig"],
  ["ListTaskPushNotificationConfig", "listTaskPushNotificationConfigs"],
  ["DeleteTaskPushNotificationConfig", "deleteTaskPushNotificationConfig"],
  ["GetAgentCard", "getExtendedAgentCard"],
]);
