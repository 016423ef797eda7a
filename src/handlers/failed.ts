import type { HandlerEvent } from "../core/ports/handler.ts";

/** The end of a turn that the agent could not finish, with a reason that the caller may read. */
export function failed(reason: string): HandlerEvent {
  return {
    kind: "status",
    state: "TASK_STATE_FAILED",
    message: { parts: [{ text: reason }] },
  };
}
