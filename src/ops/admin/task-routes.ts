/** Tasks of every agent and owner: found, shown with their logs, and cancelled. */
import type { FoundTask, TaskArchive, TaskSearch } from "../../core/ports/task-search.ts";
import { A2AError } from "../../protocol/errors.ts";
import { modelOf } from "../../protocol/ready-made.ts";
import { AdminError } from "./failure.ts";
import { NO_BODY } from "./input.ts";
import {
  PAGE_SIZE,
  pageOf,
  pageSizeParameter,
  pageTokenParameter,
  positionIn,
  tokenOf,
} from "./page.ts";
import {
  agentParameter,
  anyTextParameter,
  instantParameter,
  integerParameter,
  stateParameter,
  textParameter,
} from "./parameter.ts";
import type { AdminPorts } from "./ports.ts";
import { ok, route, type Route } from "./route.ts";
import {
  FOUND_TASKS,
  foundTaskAnswer,
  TASK,
  TASK_DETAIL,
  TASK_EVENTS,
  taskDetailAnswer,
  taskEventsAnswer,
} from "./task-answers.ts";

const segments = { id: textParameter("the task's id here") };

export function taskRoutes({
  tasks,
  taskOf,
  cancelTask,
}: Pick<AdminPorts, "tasks" | "taskOf" | "cancelTask">): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/admin/tasks",
      operation: "searchTasks",
      summary: "Tasks that fit every parameter, those with the newest status first",
      query: {
        agent: agentParameter("the agent that has it"),
        owner: anyTextParameter("whose it is; empty for callers who were not asked who they are"),
        contextId: textParameter("its context"),
        state: stateParameter,
        from: instantParameter("its status is from then or later"),
        before: instantParameter("its status is from before then"),
        id: textParameter("its id, here or at its remote agent"),
        pageSize: pageSizeParameter,
        pageToken: pageTokenParameter,
      },
      answer: FOUND_TASKS,
      statuses: { 200: "a page of tasks" },
      async run({ query: { pageSize = PAGE_SIZE, pageToken, ...filters } }) {
        const after = pageToken === undefined ? undefined : taskPositionIn(pageToken);
        const search = { ...ALL, ...filters, after, limit: pageSize + 1 };
        const { items, hasMore } = pageOf(await tasks.search(search), pageSize);
        const last = hasMore ? items.at(-1) : undefined;
        return ok({
          tasks: items.map(foundTaskAnswer),
          nextPageToken: last && tokenOf([last.timestamp, last.id]),
        });
      },
    }),
    route({
      method: "GET",
      path: "/admin/tasks/{id}",
      operation: "getTask",
      summary: "One task with everything in it",
      segments,
      answer: TASK_DETAIL,
      statuses: { 200: "the task" },
      failures: [404],
      async run({ path: { id } }) {
        const found = await tasks.find(id);
        if (found === undefined) throw noTask(id);
        return ok(taskDetailAnswer(found, taskOf(found.stored)));
      },
    }),
    route({
      method: "GET",
      path: "/admin/tasks/{id}/events",
      operation: "listTaskEvents",
      summary: "What has happened to a task, oldest first",
      segments,
      query: {
        after: integerParameter("only events after this generation", { min: 0, preset: 0 }),
        pageSize: pageSizeParameter,
      },
      answer: TASK_EVENTS,
      statuses: { 200: "a page of events" },
      failures: [404, 410],
      async run({ path: { id }, query: { after = 0, pageSize = PAGE_SIZE } }) {
        const entries = await tasks.entries(id, after, pageSize);
        if (entries === undefined) {
          await located(tasks, id);
          throw new AdminError("GONE", `the log of task ${id} no longer reaches back to ${after}`);
        }
        const last = entries.at(-1)?.generation;
        const next = last === undefined ? [] : await tasks.entries(id, last, 1);
        return ok(taskEventsAnswer(entries, next?.length === 0 ? undefined : last));
      },
    }),
    route({
      method: "POST",
      path: "/admin/tasks/{id}/cancel",
      operation: "cancelTask",
      summary: "Cancels a task, whoever's it is",
      about: ({ segments: { id: task } }) => ({ task }),
      segments,
      body: NO_BODY,
      answer: TASK,
      statuses: { 200: "the task as it then is" },
      failures: [404],
      async run({ path: { id } }) {
        const { agent, owner } = await located(tasks, id);
        return ok(modelOf(await cancelTask(agent, owner, id)));
      },
    }),
  ];
}

const ALL: Omit<TaskSearch, "limit"> = {
  agent: undefined,
  owner: undefined,
  contextId: undefined,
  state: undefined,
  from: undefined,
  before: undefined,
  id: undefined,
  after: undefined,
};

function taskPositionIn(token: string): { readonly timestamp: number; readonly id: string } {
  const [timestamp, id] = positionIn(token, ["number", "string"]);
  return { timestamp: Number(timestamp), id: String(id) };
}

/**
 * Whose a task is. The search reads less than the whole task, which may be too large to be read; it finds tasks that
 * have this id at a remote agent too, and if these are many, the task itself is asked for.
 */
async function located(
  tasks: TaskArchive,
  id: string,
): Promise<Pick<FoundTask, "agent" | "owner">> {
  const found = await tasks.search({ ...ALL, id, limit: PAGE_SIZE });
  const exact = found.find((task) => task.id === id) ?? (await tasks.find(id))?.stored;
  if (exact === undefined) throw noTask(id);
  return exact;
}

function noTask(id: string): A2AError {
  return new A2AError("TASK_NOT_FOUND", `no task ${id}`);
}
