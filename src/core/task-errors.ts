/** The errors that callers are told of the task that they ask for. */
import { A2AError } from "../protocol/errors.ts";
import type { TaskState } from "../protocol/states.ts";
import { ConflictError } from "./ports/task-store.ts";

/** The error for a message to a task that has ended (spec 3.1.1), or for following one (spec 3.1.6). */
export function endedError(id: string, state: TaskState): A2AError {
  const metadata = { taskId: id, state };
  return new A2AError("UNSUPPORTED_OPERATION", `task ${id} has ended: ${state}`, { metadata });
}

/** The error for a task that is not there, or is somebody else's: the two are not told apart (spec 3.3.2). */
export function unknownTask(id: string): A2AError {
  return new A2AError("TASK_NOT_FOUND", `no task ${id}`, { metadata: { taskId: id } });
}

/** What everybody who waits for a task is told when a commit of it has failed for good, which is in the log already. */
export function lostError(thrown: unknown): A2AError {
  const details = { cause: thrown, reported: true };
  if (ConflictError.is(thrown)) {
    return new A2AError("UNAVAILABLE", "the task was changed elsewhere: try again", details);
  }
  if (!A2AError.is(thrown)) {
    return new A2AError("INTERNAL_ERROR", "the task could not be stored", details);
  }
  const { reason, message, retryAfter } = A2AError.from(thrown);
  const wait = retryAfter === undefined ? {} : { retryAfter };
  return new A2AError(reason, message, Object.assign(details, wait));
}
