/** How tasks and their logs are answered. */
import type { ArchivedTask, FoundTask } from "../../core/ports/task-search.ts";
import type { LogEntry } from "../../core/ports/task-store.ts";
import type { Task } from "../../protocol/model.ts";
import { TASK_STATES } from "../../protocol/states.ts";
import {
  anyObject,
  instant,
  instantOf,
  integer,
  list,
  named,
  object,
  oneOf,
  text,
  type TypeOf,
} from "./schema.ts";

const REQUIRED = {
  id: text("the task's id here"),
  agent: text("the agent that has it"),
  owner: text("whose it is; empty where callers are not asked who they are"),
  contextId: text("its context"),
  state: oneOf(TASK_STATES, "its state"),
  timestamp: instant("when it came into its state"),
  createdAt: instant("when it was created"),
  generation: integer("how many events it has had"),
};
const OPTIONAL = {
  upstream: object(
    { taskId: text("its id at its remote agent") },
    { contextId: text("its context there") },
  ),
};

const FOUND_TASK = named("FoundTask", object(REQUIRED, OPTIONAL));

export const FOUND_TASKS = object(
  { tasks: list(FOUND_TASK) },
  { nextPageToken: text("the pageToken of the next page; absent on the last") },
);

/** A task in the shape of A2A. */
export const TASK = named("Task", anyObject("a Task of A2A 1.0"));

export const TASK_DETAIL = named("TaskDetail", object({ ...REQUIRED, task: TASK }, OPTIONAL));

export const TASK_EVENTS = named(
  "TaskEvents",
  object(
    {
      events: list(
        object({
          generation: integer("the event's number: 1 for the first of the task"),
          event: anyObject(
            "task, statusUpdate or artifactUpdate as in a stream of A2A 1.0, and in history the messages that entered the task's history with it",
          ),
        }),
      ),
    },
    { nextAfter: integer("the `after` of the next page; absent on the last") },
  ),
);

export function foundTaskAnswer(found: FoundTask): TypeOf<typeof FOUND_TASK> {
  return {
    id: found.id,
    agent: found.agent,
    owner: found.owner,
    contextId: found.contextId,
    state: found.state,
    timestamp: instantOf(found.timestamp),
    createdAt: instantOf(found.createdAt),
    generation: found.generation,
    upstream: found.upstream && {
      taskId: found.upstream.taskId,
      contextId: found.upstream.contextId,
    },
  };
}

export function taskDetailAnswer(
  { stored, createdAt, upstream }: ArchivedTask,
  task: Task,
): TypeOf<typeof TASK_DETAIL> {
  const { id, agent, owner, contextId, status, generation } = stored;
  const found = { id, agent, owner, contextId, ...status, createdAt, generation, upstream };
  return { ...foundTaskAnswer(found), task };
}

export function taskEventsAnswer(
  entries: readonly LogEntry[],
  nextAfter: number | undefined,
): TypeOf<typeof TASK_EVENTS> {
  const events = entries.map(({ generation, text: entry }) => ({
    generation,
    event: JSON.parse(entry) as object,
  }));
  return { events, nextAfter };
}
