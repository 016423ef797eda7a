/** The short names that agents and configuration files use for states and errors. */
import type { ErrorReason } from "../protocol/errors.ts";
import type { TaskState } from "../protocol/states.ts";

/** The states of a task, as configuration files write them. */
export const SHORT_STATES = [
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
  "rejected",
  "auth-required",
] as const;

export type ShortState = (typeof SHORT_STATES)[number];

export const STATE_OF: Readonly<Record<ShortState, TaskState>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  rejected: "TASK_STATE_REJECTED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
};

/** The errors that an agent may answer with. */
export const ERROR_NAMES = [
  "task_not_found",
  "task_not_cancelable",
  "unsupported_operation",
  "content_type_not_supported",
  "invalid_params",
] as const;

export type ErrorName = (typeof ERROR_NAMES)[number];

export const REASON_OF: Readonly<Record<ErrorName, ErrorReason>> = {
  task_not_found: "TASK_NOT_FOUND",
  task_not_cancelable: "TASK_NOT_CANCELABLE",
  unsupported_operation: "UNSUPPORTED_OPERATION",
  content_type_not_supported: "CONTENT_TYPE_NOT_SUPPORTED",
  invalid_params: "INVALID_PARAMS",
};
