/** Intents as a door spells them: those that the gateway makes of agents by its own client, the others here. */
import type { JsonObject, JsonValue } from "../../src/protocol/json.ts";
import type { ClientHttpRequest } from "../../src/wire/client.ts";
import { clientDialects } from "../../src/wire/client-dialects.ts";
import { messages as older } from "../../src/wire/v0_3/messages.ts";
import { messages as newer } from "../../src/wire/v1/messages.ts";
import type { Intent, IntentOf } from "./intents.ts";
import type { Version } from "./world.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: JsonValue;
}

export interface RestCall {
  readonly method: string;
  /** Percent-encoded, with its query. */
  readonly target: string;
  readonly body: JsonValue | undefined;
}

export interface GrpcCall {
  readonly path: string;
  readonly message: Uint8Array;
}

const CLIENT_OPERATIONS = [
  "sendMessage",
  "sendStreamingMessage",
  "getTask",
  "cancelTask",
  "subscribeToTask",
] as const;

type Called = Extract<Intent, { operation: (typeof CLIENT_OPERATIONS)[number] }>;
/** Those that the gateway never calls itself. */
type Uncalled = Exclude<Intent, Called>;

function isCalled(intent: Intent): intent is Called {
  return CLIENT_OPERATIONS.some((name) => name === intent.operation);
}

function dialectOf(version: Version) {
  const dialect = clientDialects.find((each) => each.version === version);
  if (dialect === undefined) throw new Error(`no version ${version}`);
  return dialect;
}

export function rpcCallOf(version: Version, intent: Intent): RpcCall {
  if (!isCalled(intent)) return version === "1.0" ? newerRpc(intent) : olderRpc(intent);
  const { jsonrpc } = dialectOf(version);
  const { operation, request } = intent as IntentOf<"sendMessage">;
  const params = JSON.parse(JSON.stringify(jsonrpc.encode(operation, request))) as JsonValue;
  return { method: jsonrpc.methodOf(operation), params };
}

export function restCallOf(version: Version, intent: Intent): RestCall {
  if (!isCalled(intent)) return version === "1.0" ? newerRest(intent) : olderRest(intent);
  const { operation, request } = intent as IntentOf<"sendMessage">;
  const { method, path, body }: ClientHttpRequest = dialectOf(version).rest.requestOf(
    operation,
    request,
  );
  return {
    method,
    target: path,
    body: body === undefined ? undefined : (JSON.parse(body) as JsonValue),
  };
}

export function grpcCallOf(version: Version, intent: Intent): GrpcCall {
  if (!isCalled(intent)) return version === "1.0" ? newerGrpc(intent) : olderGrpc(intent);
  const { grpc } = dialectOf(version);
  const { operation, request } = intent as IntentOf<"sendMessage">;
  return { path: grpc.pathOf(operation), message: grpc.encode(operation, request) };
}

function newerRpc({ operation, request }: Uncalled): RpcCall {
  const method = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`;
  return { method, params: request as JsonObject };
}

function olderRpc({ operation, request }: Uncalled): RpcCall {
  const configs = "tasks/pushNotificationConfig";
  switch (operation) {
    case "createTaskPushNotificationConfig": {
      const { taskId = "", ...pushNotificationConfig } = request;
      const params = { taskId, pushNotificationConfig } as unknown as JsonValue;
      return { method: `${configs}/set`, params };
    }
    case "getTaskPushNotificationConfig":
      return {
        method: `${configs}/get`,
        params: { id: request.taskId, pushNotificationConfigId: request.id },
      };
    case "deleteTaskPushNotificationConfig":
      return {
        method: `${configs}/delete`,
        params: { id: request.taskId, pushNotificationConfigId: request.id },
      };
    case "listTaskPushNotificationConfigs":
      return { method: `${configs}/list`, params: { id: request.taskId } };
    case "getExtendedAgentCard":
      return { method: "agent/getAuthenticatedExtendedCard", params: {} };
    case "listTasks":
      return { method: "tasks/list", params: request as JsonObject };
  }
}

function newerRest({ operation, request }: Uncalled): RestCall {
  switch (operation) {
    case "listTasks": {
      const query = new URLSearchParams(
        Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return { method: "GET", target: `/tasks?${query.toString()}`, body: undefined };
    }
    case "getExtendedAgentCard":
      return { method: "GET", target: "/extendedAgentCard", body: undefined };
    case "createTaskPushNotificationConfig":
    case "getTaskPushNotificationConfig":
    case "listTaskPushNotificationConfigs":
    case "deleteTaskPushNotificationConfig":
      return configCall("", operation, request);
  }
}

function olderRest({ operation, request }: Uncalled): RestCall {
  switch (operation) {
    case "listTasks":
      return { method: "GET", target: "/v1/tasks", body: undefined };
    case "getExtendedAgentCard":
      return { method: "GET", target: "/v1/card", body: undefined };
    case "createTaskPushNotificationConfig":
    case "getTaskPushNotificationConfig":
    case "listTaskPushNotificationConfigs":
    case "deleteTaskPushNotificationConfig":
      return configCall("/v1", operation, request);
  }
}

function configCall(
  base: string,
  operation: Exclude<Uncalled["operation"], "listTasks" | "getExtendedAgentCard">,
  { taskId = "", id = "", url = "" }: { taskId?: string; id?: string; url?: string },
): RestCall {
  const all = `${base}/tasks/${taskId}/pushNotificationConfigs`;
  switch (operation) {
    case "createTaskPushNotificationConfig":
      return { method: "POST", target: all, body: { id, url } };
    case "getTaskPushNotificationConfig":
      return { method: "GET", target: `${all}/${id}`, body: undefined };
    case "listTaskPushNotificationConfigs":
      return { method: "GET", target: all, body: undefined };
    case "deleteTaskPushNotificationConfig":
      return { method: "DELETE", target: `${all}/${id}`, body: undefined };
  }
}

function newerGrpc(intent: Uncalled): GrpcCall {
  const path = `/lf.a2a.v1.A2AService/${newerRpc(intent).method}`;
  const { operation, request } = intent;
  switch (operation) {
    case "listTasks":
      return { path, message: newer.ListTasksRequest.toProto(request) };
    case "getExtendedAgentCard":
      return { path, message: newer.GetExtendedAgentCardRequest.toProto(request) };
    case "createTaskPushNotificationConfig":
      return { path, message: newer.TaskPushNotificationConfig.toProto(request) };
    case "getTaskPushNotificationConfig":
      return { path, message: newer.GetTaskPushNotificationConfigRequest.toProto(request) };
    case "listTaskPushNotificationConfigs":
      return { path, message: newer.ListTaskPushNotificationConfigsRequest.toProto(request) };
    case "deleteTaskPushNotificationConfig":
      return { path, message: newer.DeleteTaskPushNotificationConfigRequest.toProto(request) };
  }
}

function olderGrpc({ operation, request }: Uncalled): GrpcCall {
  const at = (method: string) => `/a2a.v1.A2AService/${method}`;
  switch (operation) {
    case "listTasks":
    case "getExtendedAgentCard":
      return { path: at("GetAgentCard"), message: new Uint8Array() };
    case "createTaskPushNotificationConfig": {
      const { taskId = "", id = "", url } = request;
      const parent = `tasks/${taskId}`;
      const config = { name: "", pushNotificationConfig: { id, url } };
      return {
        path: at("CreateTaskPushNotificationConfig"),
        message: older.CreateTaskPushNotificationConfigRequest.toProto({
          parent,
          configId: id,
          config,
        }),
      };
    }
    case "listTaskPushNotificationConfigs":
      return {
        path: at("ListTaskPushNotificationConfig"),
        message: older.ListTaskPushNotificationConfigRequest.toProto({
          parent: `tasks/${request.taskId}`,
        }),
      };
    case "getTaskPushNotificationConfig":
      return {
        path: at("GetTaskPushNotificationConfig"),
        message: older.GetTaskPushNotificationConfigRequest.toProto(nameOf(request)),
      };
    case "deleteTaskPushNotificationConfig":
      return {
        path: at("DeleteTaskPushNotificationConfig"),
        message: older.DeleteTaskPushNotificationConfigRequest.toProto(nameOf(request)),
      };
  }
}

function nameOf({ taskId, id }: { readonly taskId: string; readonly id: string }) {
  return { name: `tasks/${taskId}/pushNotificationConfigs/${id}` };
}
