/** The states of a task (spec 4.1.3), by the names of the 1.0 protobuf. */
export const TASK_STATES = [
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** `input-required`, the name of 0.3 and of the configuration, for `TASK_STATE_INPUT_REQUIRED`. */
export function shortStateName(state: string): string {
  return state
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}

const TERMINAL: ReadonlySet<TaskState> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

const INTERRUPTED: ReadonlySet<TaskState> = new Set([
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
]);

/** True for a state that no event can leave. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** True for a state in which the task waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return INTERRUPTED.has(state);
}

/**
 * Whether a stream ends with the event that brings this state: that of a send when there is nothing to wait for (spec
 * 3.1.2), a subscription at the end of the task (spec 3.1.6). AUTH_REQUIRED may pass by itself (spec 7.6.1).
 */
export const STREAM_ENDS = {
  sendStreamingMessage: (state: TaskState): boolean =>
    isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED",
  subscribeToTask: isTerminal,
} as const;
