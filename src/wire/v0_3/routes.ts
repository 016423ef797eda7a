/**
 * The paths of HTTP+JSON in version 0.3 (spec 0.3, 3.5.6). The codecs take path, query and body as they are. Listing
 * tasks is not among them: the protobuf of 0.3, which defines the bodies, has no such method.
 */
import type { OperationName } from "../../protocol/service.ts";
import type { RestInput, Route } from "../dialect.ts";

const TASK = "/v1/tasks/:id";
const CONFIGS = `${TASK}/pushNotificationConfigs`;

export const routes: readonly Route[] = [
  route("POST", "/v1/message\\:send", "sendMessage"),
  route("POST", "/v1/message\\:stream", "sendStreamingMessage"),
  route("POST", `${TASK}\\:cancel`, "cancelTask"),
  // The specification has POST, its protobuf GET.
  route("POST", `${TASK}\\:subscribe`, "subscribeToTask"),
  route("GET", `${TASK}\\:subscribe`, "subscribeToTask"),
  route("GET", TASK, "getTask"),
  route("POST", CONFIGS, "createTaskPushNotificationConfig"),
  route("GET", `${CONFIGS}/:configId`, "getTaskPushNotificationConfig"),
  route("GET", CONFIGS, "listTaskPushNotificationConfigs"),
  route("DELETE", `${CONFIGS}/:configId`, "deleteTaskPushNotificationConfig"),
  route("GET", "/v1/card", "getExtendedAgentCard"),
];

function route(method: Route["method"], path: string, operation: OperationName): Route {
  return { method, path, operation, wireOf: asItIs };
}

function asItIs(input: RestInput): RestInput {
  return input;
}
