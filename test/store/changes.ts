/** Changes of tasks as a store gets them, with everything filled in that a test does not care about. */
import { randomUUID } from "node:crypto";
import type {
  Draft,
  ListedTask,
  ListQuery,
  LogEntry,
  NewEntry,
  TaskChange,
  TaskStore,
} from "../../src/core/ports/task-store.ts";
import type { Artifact, Message } from "../../src/protocol/model.ts";

export function message(text: string): Message {
  return { messageId: `m-${text}`, role: "ROLE_USER", parts: [{ text }] };
}

export function artifact(text: string): Artifact {
  return { artifactId: `a-${text}`, parts: [{ text }] };
}

/** The entries first, …, last. */
export function entries(first: number, last = first): NewEntry[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    generation: first + index,
    news: "status",
    text: JSON.stringify({ event: first + index, nested: [{ a: "b,\n,c" }, []] }),
  }));
}

/** The same as the store gives them back. */
export function stored(first: number, last = first): LogEntry[] {
  return entries(first, last).map(({ generation, text }) => ({ generation, text }));
}

/** A new task, WORKING since the instant 1000 unless said otherwise. */
export function newTask(fields: Partial<TaskChange> = {}): TaskChange {
  return {
    id: randomUUID(),
    agent: "echo",
    owner: "ann",
    contextId: "c1",
    base: 0,
    entries: entries(1),
    status: { state: "TASK_STATE_WORKING", timestamp: 1000 },
    statusMessage: undefined,
    previous: undefined,
    snapshot: { history: [message("hi")], artifacts: [], metadata: undefined },
    upstream: undefined,
    sent: undefined,
    pushConfigs: [],
    ...fields,
  };
}

/** One more entry for the task that `before` left, without a snapshot and with the same status. */
export function next(before: TaskChange, fields: Partial<TaskChange> = {}): TaskChange {
  const base = before.base + before.entries.length;
  return {
    ...before,
    base,
    entries: entries(base + 1),
    previous: before.status,
    snapshot: undefined,
    upstream: undefined,
    sent: undefined,
    pushConfigs: [],
    ...fields,
  };
}

/** The end of the task that `before` left. */
export function completed(before: TaskChange, timestamp: number): TaskChange {
  return next(before, {
    status: { state: "TASK_STATE_COMPLETED", timestamp },
    snapshot: { history: [message("hi")], artifacts: [artifact("done")], metadata: undefined },
  });
}

export function draft(change: TaskChange): Draft {
  return { take: () => change };
}

/** Commits one change after the other. */
export async function commitAll(
  store: TaskStore,
  ...changes: readonly TaskChange[]
): Promise<void> {
  for (const change of changes) await store.commit(draft(change));
}

export function loadOf(store: TaskStore, { agent, owner, id }: TaskChange) {
  return store.load(agent, owner, id);
}

/** The first page of 50 of ann's tasks. */
export function query(fields: Partial<ListQuery> = {}): ListQuery {
  return {
    agent: "echo",
    owner: "ann",
    contextId: undefined,
    state: undefined,
    from: undefined,
    after: undefined,
    limit: 50,
    artifacts: true,
    maxBytes: 1_000_000,
    ...fields,
  };
}

export function idsOf(tasks: readonly ListedTask[]): string[] {
  return tasks.map(({ id }) => id);
}

export const UNLIMITED = {
  entriesBefore: undefined,
  finishedBefore: undefined,
  unfinishedBefore: undefined,
} as const;
