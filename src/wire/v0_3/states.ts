/** How the JSON of 0.3 names states and roles (spec 0.3, 6.3 and 6.4), and where its streams end. */
import type { Role } from "../../protocol/model.ts";
import { STREAM_ENDS, type TaskState } from "../../protocol/states.ts";

export type LegacyTaskState =
  | "unknown"
  | "submitted"
  | "working"
  | "completed"
  | "failed"
  | "canceled"
  | "input-required"
  | "rejected"
  | "auth-required";

export type LegacyRole = "user" | "agent";

export const LEGACY_STATES: Readonly<Record<TaskState, LegacyTaskState>> = {
  TASK_STATE_UNSPECIFIED: "unknown",
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth-required",
};

/** 0.3 has two roles only: who is not the user is the agent. */
export const LEGACY_ROLES: Readonly<Record<Role, LegacyRole>> = {
  ROLE_UNSPECIFIED: "agent",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
};

export const ROLES: ReadonlyMap<string, Role> = new Map([
  ["user", "ROLE_USER"],
  ["agent", "ROLE_AGENT"],
]);

/** The states by the names of 0.3. */
export const STATES: ReadonlyMap<string, TaskState> = new Map(
  (Object.keys(LEGACY_STATES) as TaskState[]).map((state) => [LEGACY_STATES[state], state]),
);

/** The states after which each kind of stream ends: an event that brings one of them is `final`. */
export const FINAL_STATES = {
  sendStreamingMessage: finalStates(STREAM_ENDS.sendStreamingMessage),
  subscribeToTask: finalStates(STREAM_ENDS.subscribeToTask),
} as const;

function finalStates(ends: (state: TaskState) => boolean): ReadonlySet<string> {
  return new Set([...STATES.values()].filter(ends).map((state) => LEGACY_STATES[state]));
}
