import type { OperationName } from "../../protocol/service.ts";

/** The names of the operations on JSON-RPC in version 0.3 (spec 0.3, 7). It has no `tasks/list` there (3.5.6). */
export const methods: ReadonlyMap<string, OperationName> = new Map([
  ["message/send", "sendMessage"],
  ["message/stream", "sendStreamingMessage"],
  ["tasks/get", "getTask"],
  ["tasks/cancel", "cancelTask"],
  ["tasks/resubscribe", "subscribeToTask"],
  ["tasks/pushNotificationConfig/set", "createTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/get", "getTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/list", "listTaskPushNotificationConfigs"],
  ["tasks/pushNotificationConfig/delete", "deleteTaskPushNotificationConfig"],
  ["agent/getAuthenticatedExtendedCard", "getExtendedAgentCard"],
]);
