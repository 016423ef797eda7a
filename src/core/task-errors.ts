import { A2AError } from "../protocol/errors.ts";
import type { TaskState } from "../protocol/states.ts";

/** The error for a message to a task that has ended (spec 3.1.1), or for following one (spec 3.1.6). */
export function endedError(id: string, state: TaskState): A2AError {
  const metadata = { taskId: id, state };
  return new A2AError("UNSUPPORTED_OPERATION", `task ${id} has ended: ${state}`, { metadata });
}

/** The error for a task that is not there, or is somebody else's: the two are not told apart (spec 3.3.2). */
export function unknownTask(id: string): A2AError {
  return new A2AError("TASK_NOT_FOUND", `no task ${id}`, { metadata: { taskId: id } });
}
