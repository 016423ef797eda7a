/** The parameters of the methods of 0.3 as requests of the model (spec 0.3, 7). Older spellings are understood. */
import type {
  CancelTaskRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  Message,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "../../../protocol/model.ts";
import { boolType, int32Type } from "../../schema/scalars.ts";
import { Violations } from "../../schema/violations.ts";
import {
  filledText,
  members,
  optional,
  put,
  required,
  textOf,
  type JsonMembers,
  type Read,
} from "./decode-fields.ts";
import type { Draft } from "../draft.ts";
import { readMessage, texts } from "./decode-message.ts";
import { readMetadata } from "./decode-part.ts";
import { readPushConfig } from "./decode-push-config.ts";
import { NONE, UNNAMED } from "../names.ts";

/**
 * `message/send` and `message/stream`, and the same parameters as a body of HTTP+JSON.
 * Throws INVALID_PARAMS with the path of each field that is wrong.
 */
export function decodeKindSend(wire: unknown): SendMessageRequest {
  return decoded(wire, (params, violations) => {
    const message = required(params, "message", readMessage, violations) ?? NO_MESSAGE;
    const request: Draft<SendMessageRequest> = { message: addressed(message, params, violations) };
    put(request, "configuration", optional(params, "configuration", readConfiguration, violations));
    put(request, "metadata", readMetadata(params, violations));
    return request;
  });
}

/** Stands where there is a violation. */
const NO_MESSAGE: Message = { messageId: "", role: "ROLE_UNSPECIFIED", parts: [] };

/** Clients of older versions name the task and the context beside the message. */
function addressed(message: Message, params: JsonMembers, violations: Violations): Message {
  const contextId = message.contextId ?? textOf(params, "contextId", violations);
  const taskId = message.taskId ?? textOf(params, "taskId", violations);
  if (contextId === message.contextId && taskId === message.taskId) return message;
  return Object.assign({}, message, contextId && { contextId }, taskId && { taskId });
}

/** An absent `blocking` waits. */
const readConfiguration: Read<SendMessageConfiguration> = (json, violations) => {
  const configuration = members(json, violations);
  if (configuration === undefined) return undefined;
  const model: Draft<SendMessageConfiguration> = {};
  put(
    model,
    "acceptedOutputModes",
    optional(configuration, "acceptedOutputModes", texts, violations),
  );
  put(
    model,
    "taskPushNotificationConfig",
    named(optional(configuration, "pushNotificationConfig", readPushConfig, violations)),
  );
  put(
    model,
    "historyLength",
    optional(configuration, "historyLength", int32Type.fromJson, violations),
  );
  const blocking = optional(configuration, "blocking", boolType.fromJson, violations);
  if (blocking === false) model.returnImmediately = true;
  return model;
};

export function decodeGetTask(wire: unknown): GetTaskRequest {
  return decoded(wire, (params, violations) => {
    const request: Draft<GetTaskRequest> = { id: taskIdOf(params, violations) };
    put(
      request,
      "historyLength",
      optional(params, "historyLength", int32Type.fromJson, violations),
    );
    return request;
  });
}

export function decodeCancelTask(wire: unknown): CancelTaskRequest {
  return decoded(wire, (params, violations) => {
    const request: Draft<CancelTaskRequest> = { id: taskIdOf(params, violations) };
    put(request, "metadata", readMetadata(params, violations));
    return request;
  });
}

export function decodeSubscribe(wire: unknown): SubscribeToTaskRequest {
  return decoded(wire, (params, violations) => ({ id: taskIdOf(params, violations) }));
}

/** The task is `taskId`, in older versions `id`. */
export function decodeSetPushConfig(wire: unknown): TaskPushNotificationConfig {
  return decoded(wire, (params, violations) => {
    const taskId =
      textOf(params, "taskId", violations) ??
      textOf(params, "id", violations) ??
      required(params, "taskId", filledText, violations) ??
      "";
    const config = required(params, "pushNotificationConfig", readPushConfig, violations);
    return Object.assign({ url: "" }, named(config), { taskId });
  });
}

function named(
  config: TaskPushNotificationConfig | undefined,
): TaskPushNotificationConfig | undefined {
  return config && { id: UNNAMED, ...config };
}

export function decodeGetPushConfig(wire: unknown): GetTaskPushNotificationConfigRequest {
  return decoded(wire, (params, violations) => ({
    taskId: taskIdOf(params, violations),
    id: textOf(params, "pushNotificationConfigId", violations) ?? NONE,
  }));
}

export function decodeListPushConfigs(wire: unknown): ListTaskPushNotificationConfigsRequest {
  return decoded(wire, (params, violations) => ({ taskId: taskIdOf(params, violations) }));
}

export function decodeDeletePushConfig(wire: unknown): GetTaskPushNotificationConfigRequest {
  return decoded(wire, (params, violations) => ({
    taskId: taskIdOf(params, violations),
    id: required(params, "pushNotificationConfigId", filledText, violations) ?? "",
  }));
}

/** The method has no parameters. */
export function decodeGetExtendedCard(): GetExtendedAgentCardRequest {
  return {};
}

function taskIdOf(params: JsonMembers, violations: Violations): string {
  return required(params, "id", filledText, violations) ?? "";
}

/** Absent parameters count as `{}`. */
function decoded<T>(wire: unknown, read: (params: JsonMembers, violations: Violations) => T): T {
  const violations = new Violations("strict");
  const request = read(members(wire ?? {}, violations) ?? {}, violations);
  violations.check("params");
  return request;
}
