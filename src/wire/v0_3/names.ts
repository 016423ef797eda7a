/** The names of resources in the 0.3 protobuf: `tasks/{id}` and `tasks/{id}/pushNotificationConfigs/{id}`. */
import { invalidParams } from "../../protocol/errors.ts";
import { quoted } from "../schema/violations.ts";

/** The id of a push config that was registered without one, so that a caller who names none finds it again. */
export const UNNAMED = "default";
/** No id: whoever asks for a config may leave it out. */
export const NONE = "";

const TASK = /^tasks\/([^/]+)$/;
/** Some clients name the list itself, as the protobuf's own HTTP rule does. */
const PARENT = /^tasks\/([^/]+)(?:\/pushNotificationConfigs)?$/;
const PUSH_CONFIG = /^tasks\/([^/]+)\/pushNotificationConfigs\/(.+)$/;

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

export interface PushConfigIds {
  readonly taskId: string;
  readonly id: string;
}

/** Throws INVALID_PARAMS for a `name` that is not a push config's. */
export function pushConfigIdsOf(name: string): PushConfigIds {
  const [, taskId, id] = PUSH_CONFIG.exec(name) ?? [];
  if (taskId === undefined || id === undefined)
    return refused("name", "tasks/{id}/pushNotificationConfigs/{id}", name);
  return { taskId, id };
}

/** The Python SDK asks for `None` where its caller names no config. */
export function askedIdsOf({ taskId, id }: PushConfigIds): PushConfigIds {
  return { taskId, id: id === "None" ? NONE : id };
}

function refused(field: string, form: string, name: string): never {
  throw invalidParams([{ field, description: `must be ${form}, not ${quoted(name)}` }]);
}
