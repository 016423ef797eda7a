/** Whether an answer is right; each check throws what is wrong. The views hold what is read here, no more. */

export interface TaskView {
  readonly id?: string;
  readonly contextId?: string;
  readonly status?: {
    readonly state?: string;
    readonly timestamp?: string | { readonly seconds?: number; readonly nanos?: number };
  };
  readonly artifacts?: readonly ArtifactView[];
}

interface ArtifactView {
  readonly parts?: readonly { readonly text?: string }[];
}

export type Events = readonly {
  readonly task?: TaskView;
  readonly statusUpdate?: TaskView;
  readonly artifactUpdate?: { readonly artifact?: ArtifactView; readonly append?: boolean };
}[];

export interface Page {
  readonly tasks?: readonly TaskView[];
  readonly totalSize?: number;
  readonly nextPageToken?: string;
}

const COMPLETED = "TASK_STATE_COMPLETED";

export function checkTask(task: TaskView | undefined, want: { id?: string; text: string }): void {
  if (!task) throw new Error("no task");
  if (want.id !== undefined) same("id", task.id, want.id);
  same("state", task.status?.state, COMPLETED);
  same("artifact", textOf(task.artifacts?.[0]), want.text);
}

/** The events of an echo: at the end it is completed, and the artifact is what was sent. */
export function checkStory(events: Events, text: string): void {
  if (events.length < 2) throw new Error(`only ${events.length} events`);
  let state: string | undefined;
  let artifact = "";
  for (const { task, statusUpdate, artifactUpdate } of events) {
    state = (task ?? statusUpdate)?.status?.state ?? state;
    if (task?.artifacts?.[0]) artifact = textOf(task.artifacts[0]);
    if (!artifactUpdate) continue;
    artifact = (artifactUpdate.append ? artifact : "") + textOf(artifactUpdate.artifact);
  }
  same("last state", state, COMPLETED);
  same("artifact", artifact, text);
}

/** A full page in descending order of time. */
export function checkList(page: Page, want: { pageSize: number; total: number }): void {
  const { tasks = [], totalSize = 0, nextPageToken } = page;
  same("number of tasks", tasks.length, want.pageSize);
  if (totalSize < want.total) throw new Error(`a total of ${totalSize}, want ${want.total}`);
  if (!nextPageToken) throw new Error("no token of a next page");
  let before = Infinity;
  for (const task of tasks) {
    if (!task.id || !task.contextId || !task.status) throw new Error("an incomplete task");
    const time = timeOf(task);
    if (time > before) throw new Error("not in descending order of time");
    before = time;
  }
}

function timeOf({ status }: TaskView): number {
  const timestamp = status?.timestamp;
  if (typeof timestamp === "string") return Date.parse(timestamp);
  return (timestamp?.seconds ?? 0) * 1000 + Math.floor((timestamp?.nanos ?? 0) / 1e6);
}

function textOf(artifact: ArtifactView | undefined): string {
  return (artifact?.parts ?? []).map(({ text }) => text ?? "").join("");
}

function same(what: string, got: unknown, want: unknown): void {
  if (got !== want) throw new Error(`${what} is ${String(got)}, want ${String(want)}`);
}
