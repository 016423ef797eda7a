/**
 * The paths of HTTP+JSON in version 1.0 (spec 11.3). A request becomes either its body or its query parameters, with
 * what the path says put in.
 */
import { A2AError, invalidParams, type FieldViolation } from "../../protocol/errors.ts";
import type { RestInput, Route } from "../dialect.ts";
import { isObject } from "../schema/objects.ts";

const CONFIGS = "/tasks/:taskId/pushNotificationConfigs";

export const routes: readonly Route[] = [
  { method: "POST", path: "/message\\:send", operation: "sendMessage", wireOf: fromBody },
  {
    method: "POST",
    path: "/message\\:stream",
    operation: "sendStreamingMessage",
    wireOf: fromBody,
  },
  { method: "POST", path: "/tasks/:id\\:cancel", operation: "cancelTask", wireOf: fromBody },
  // The specification has POST, its protobuf GET.
  {
    method: "POST",
    path: "/tasks/:id\\:subscribe",
    operation: "subscribeToTask",
    wireOf: fromBody,
  },
  {
    method: "GET",
    path: "/tasks/:id\\:subscribe",
    operation: "subscribeToTask",
    wireOf: fromQuery,
  },
  { method: "GET", path: "/tasks/:id", operation: "getTask", wireOf: fromQuery },
  { method: "GET", path: "/tasks", operation: "listTasks", wireOf: fromQuery },
  {
    method: "POST",
    path: CONFIGS,
    operation: "createTaskPushNotificationConfig",
    wireOf: fromBody,
  },
  {
    method: "GET",
    path: `${CONFIGS}/:id`,
    operation: "getTaskPushNotificationConfig",
    wireOf: fromQuery,
  },
  {
    method: "GET",
    path: CONFIGS,
    operation: "listTaskPushNotificationConfigs",
    wireOf: fromQuery,
  },
  {
    method: "DELETE",
    path: `${CONFIGS}/:id`,
    operation: "deleteTaskPushNotificationConfig",
    wireOf: fromQuery,
  },
  {
    method: "GET",
    path: "/extendedAgentCard",
    operation: "getExtendedAgentCard",
    wireOf: fromQuery,
  },
];

/** No body and `null` count as `{}`. A field that the path names too must agree with it. */
function fromBody({ params, body }: RestInput): unknown {
  const given = body ?? {};
  if (!isObject(given)) throw new A2AError("INVALID_PARAMS", "the body is not a JSON object");
  const merged = { ...given };
  const violations: FieldViolation[] = [];
  for (const [field, value] of Object.entries(pathFields(params))) {
    for (const spelling of spellingsOf(field)) {
      const said = given[spelling] ?? "";
      if (said !== "" && said !== value)
        violations.push({ field, description: "differs between the path and the body" });
      delete merged[spelling];
    }
    merged[field] = value;
  }
  if (violations.length > 0) throw invalidParams(violations);
  return merged;
}

/** What the path names counts, whatever a parameter of the same name says. */
function fromQuery({ params, query }: RestInput): URLSearchParams {
  const merged = new URLSearchParams(query);
  for (const [field, value] of Object.entries(pathFields(params))) {
    for (const spelling of spellingsOf(field)) merged.delete(spelling);
    merged.set(field, value);
  }
  return merged;
}

/** The path's parameters that are fields of the request; a transport may have others, such as the agent's. */
function pathFields({ id, taskId }: RestInput["params"]): Record<string, string> {
  return { ...(taskId === undefined ? {} : { taskId }), ...(id === undefined ? {} : { id }) };
}

function spellingsOf(field: string): readonly string[] {
  return field === "taskId" ? ["taskId", "task_id"] : [field];
}
