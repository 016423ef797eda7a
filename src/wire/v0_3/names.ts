/** The names of resources in the 0.3 protobuf: `tasks/{id}` and `tasks/{id}/pushNotificationConfigs/{id}`. */
import { invalidParams } from "../../protocol/errors.ts";
import { quoted } from "../schema/violations.ts";

const TASK = /^tasks\/([^/]+)$/;
/** Some clients name the list itself, as the protobuf's own HTTP rule does. */
const PARENT = /^tasks\/([^/]+)(?:\/pushNotificationConfigs)?$/;
const PUSH_CONFIG = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/;

export function nameOfTask(id: string): string {
  return `tasks/${id}`;
}

export function nameOfPushConfig(taskId: string, id: string): string {
  return `tasks/${taskId}/pushNotificationConfigs/${id}`;
}

/** Throws INVALID_PARAMS for a `name` that is not a task's. */
export function taskIdOf(name: string): string {
  return TASK.exec(name)?.[1] ?? refused("name", "tasks/{id}", name);
}

/** Throws INVALID_PARAMS for a `parent` that is not a task. */
export function parentIdOf(parent: string): string {
  return PARENT.exec(parent)?.[1] ?? refused("parent", "tasks/{id}", parent);
}

/** Throws INVALID_PARAMS for a `name` that is not a push config's. */
export function pushConfigIdsOf(name: string): { readonly taskId: string; readonly id: string } {
  const [, taskId, id] = PUSH_CONFIG.exec(name) ?? [];
  if (taskId === undefined || id === undefined)
    return refused("name", "tasks/{id}/pushNotificationConfigs/{id}", name);
  return { taskId, id };
}

function refused(field: string, form: string, name: string): never {
  throw invalidParams([{ field, description: `must be ${form}, not ${quoted(name)}` }]);
}
