/**
 * Push configs (spec 0.3, 6.8 to 6.10). The protobuf has them named, inside another message; what clients send as a
 * body of HTTP+JSON has many forms, told apart here and nowhere else.
 */
import { A2AError, invalidParams, type FieldViolation } from "../../protocol/errors.ts";
import type { AuthenticationInfo, TaskPushNotificationConfig } from "../../protocol/model.ts";
import { isObject } from "../schema/objects.ts";
import { nameOfPushConfig, nameOfTask, UNNAMED } from "./names.ts";
import type { Draft } from "./draft.ts";
import type {
  ProtoCreatePushConfigRequest,
  ProtoPushConfig,
  ProtoTaskPushConfig,
} from "./proto-model.ts";

export function protoTaskPushConfigOf(config: TaskPushNotificationConfig): ProtoTaskPushConfig {
  const { taskId = "", id = "" } = config;
  return {
    name: nameOfPushConfig(taskId, id),
    pushNotificationConfig: protoPushConfigOf(config),
  };
}

/** 0.3 has a list of schemes, 1.0 has one. */
export function protoPushConfigOf(config: TaskPushNotificationConfig): ProtoPushConfig {
  const { id, url, token, authentication } = config;
  const out: Draft<ProtoPushConfig> = { url };
  if (id !== undefined) out.id = id;
  if (token !== undefined) out.token = token;
  if (authentication !== undefined) {
    const { scheme, credentials } = authentication;
    const schemes = [scheme];
    out.authentication = credentials === undefined ? { schemes } : { schemes, credentials };
  }
  return out;
}

/**
 * The config that a request creates for a task. Its id may stand in two places, its own `name` does not count: it
 * names what does not exist yet. Throws INVALID_PARAMS when the two differ.
 */
export function createdPushConfigOf(
  { configId, config }: ProtoCreatePushConfigRequest,
  taskId: string,
): TaskPushNotificationConfig {
  const path = "config.pushNotificationConfig";
  const { pushNotificationConfig: given } = config;
  if (configId !== undefined && given.id !== undefined && configId !== given.id)
    throw invalidParams([{ field: "configId", description: `differs from ${path}.id` }]);
  const out: Draft<TaskPushNotificationConfig> = pushConfigOf(given, path);
  if (configId !== undefined) out.id = configId;
  out.taskId = taskId;
  return out;
}

/**
 * A config to be registered, named if it is not; `path` is where it stands in the request. Throws INVALID_PARAMS for
 * credentials without a scheme.
 */
export function pushConfigOf(config: ProtoPushConfig, path: string): TaskPushNotificationConfig {
  const { id = UNNAMED, url, token, authentication = {} } = config;
  const out: Draft<TaskPushNotificationConfig> = { id, url };
  if (token !== undefined) out.token = token;
  const info = authenticationOf(authentication, `${path}.authentication`);
  if (info !== undefined) out.authentication = info;
  return out;
}

/** Of several schemes the first counts. */
function authenticationOf(
  { schemes: [scheme = ""] = [], credentials }: NonNullable<ProtoPushConfig["authentication"]>,
  path: string,
): AuthenticationInfo | undefined {
  if (scheme !== "") return credentials === undefined ? { scheme } : { scheme, credentials };
  if (credentials === undefined) return undefined;
  const description = "must name the scheme of the credentials";
  throw invalidParams([{ field: `${path}.schemes`, description }]);
}

/** Members that hold the config, or another of these members. */
const WRAPPERS = ["config", "pushNotificationConfig", "push_notification_config"] as const;
/** More than any form has. */
const DEEPEST = 3;

/**
 * The protobuf's request from a body: that request itself, or the config named, wrapped or bare. What names a task
 * must name that of the path.
 */
export function createRequestIn(body: unknown, taskId: string): object {
  if (!isObject(body)) throw new A2AError("INVALID_PARAMS", "the body is not a JSON object");
  const violations: FieldViolation[] = [];
  let config = body;
  for (let depth = 0; depth <= DEEPEST; depth++) {
    violations.push(...strayNames(config, taskId));
    const inner = WRAPPERS.map((name) => config[name]).find(isObject);
    if (inner === undefined) break;
    config = inner;
  }
  if (violations.length > 0) throw invalidParams(violations);
  return {
    parent: nameOfTask(taskId),
    configId: body["configId"] ?? body["config_id"],
    config: { pushNotificationConfig: config },
  };
}

function strayNames(object: Record<string, unknown>, taskId: string): FieldViolation[] {
  const task = nameOfTask(taskId);
  const agrees = (name: unknown) =>
    name === task || (typeof name === "string" && name.startsWith(`${task}/`));
  return [
    ...["parent", "name"].filter((field) => isSaid(object[field]) && !agrees(object[field])),
    ...["taskId", "task_id"].filter((field) => isSaid(object[field]) && object[field] !== taskId),
  ].map((field) => ({ field, description: "differs between the path and the body" }));
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
