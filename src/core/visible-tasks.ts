/** The tasks that a caller of an agent sees: its own, and those that are shared with it. */
import type { Call } from "../protocol/service.ts";
import { ownerOf } from "./owner.ts";
import type { Agent } from "./ports/agent.ts";
import type { StoredTask, TaskStore } from "./ports/task-store.ts";
import { unknownTask } from "./task-errors.ts";

/** Who looks, and at which agent. */
export interface Viewer {
  readonly agent: Agent;
  readonly call: Pick<Call, "principal">;
}

/** Undefined for a task that is not there, and for one that is somebody else's. */
export function findVisible(
  store: TaskStore,
  { agent, call }: Viewer,
  id: string,
): Promise<StoredTask | undefined> {
  return store.load(agent.id, ownerOf(call.principal, agent.sharing), id);
}

/** As `findVisible`; throws TASK_NOT_FOUND in place of undefined. */
export async function loadVisible(
  store: TaskStore,
  viewer: Viewer,
  id: string,
): Promise<StoredTask> {
  const stored = await findVisible(store, viewer, id);
  if (stored) return stored;
  throw unknownTask(id);
}
