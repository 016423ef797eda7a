/** Between the model and the rows of `tasks` and `task_events`. */
import type { ListedTask, LogEntry, StoredTask, TaskChange } from "../../core/ports/task-store.ts";
import type { Task } from "../../protocol/model.ts";
import { readyMade, type Fragment } from "../../protocol/ready-made.ts";
import type { TaskState } from "../../protocol/states.ts";

/** The names of the states in the table are those of 0.3. */
const STATUS: Readonly<Record<TaskState, string>> = {
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

const STATE = new Map(
  Object.entries(STATUS).map(([state, status]) => [status, state as TaskState]),
);

/** The terminal states, as a list in SQL. */
export const TERMINAL = "('completed', 'failed', 'canceled', 'rejected')";

/** The states in which a task waits for its caller, as a list in SQL. */
export const WAITING = "('input-required', 'auth-required')";

export function statusOf(state: TaskState): string {
  return STATUS[state];
}

export function stateOf(status: string): TaskState {
  return STATE.get(status) ?? "TASK_STATE_UNSPECIFIED";
}

/** A change with the texts that go into the columns. */
export interface EncodedChange {
  readonly change: TaskChange;
  readonly status: string;
  /** The newest generation after the change. */
  readonly generation: number;
  readonly statusMessage: string | null;
  readonly entries: string;
  readonly snapshot: EncodedSnapshot | undefined;
  /** The task as the change leaves it, when that is known: when it holds a snapshot. */
  readonly stored: StoredTask | undefined;
}

export interface EncodedSnapshot {
  readonly history: string;
  readonly artifacts: string;
  readonly metadata: string | null;
}

export function toRow(change: TaskChange): EncodedChange {
  const { snapshot } = change;
  const generation = change.base + change.entries.length;
  const statusMessage = jsonOf(change.statusMessage);
  const encoded = snapshot && {
    history: JSON.stringify(snapshot.history),
    artifacts: JSON.stringify(snapshot.artifacts),
    metadata: jsonOf(snapshot.metadata),
  };
  return {
    change,
    status: statusOf(change.status.state),
    generation,
    statusMessage,
    entries: entriesText(change.entries),
    snapshot: encoded,
    stored: encoded && storedTaskOf(change, generation, taskText(change, statusMessage, encoded)),
  };
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function storedTaskOf(
  { id, agent, owner, contextId, status }: TaskChange,
  generation: number,
  task: StoredTask["task"],
): StoredTask {
  return { id, agent, owner, contextId, status, generation, task, tail: [], whole: true };
}

/** What in a packed task comes from the log: the entries since the snapshot. */
const TAIL = `task_events e where e.task_id = t.id and e.first > t.snapshot_generation`;

/** Artifacts of so many bytes come along unasked: the task is whole then, and can be kept. */
const SMALL_ARTIFACTS = 32_768;

/**
 * Tasks as one text: the driver's price is per value, ten times that of splitting. Between tasks and between their
 * fields are control characters that JSON text cannot hold, and every field is JSON text or nothing. The last field
 * has the entries since the snapshot. Use: `select ${packedTasks(…)} as packed from tasks t where …`, for tasks of
 * which bytesOfTask says that they fit into one text: the driver ends the process over one that is too long.
 */
export function packedTasks(artifacts: boolean): string {
  const small = `case when octet_length(t.artifacts) <= ${SMALL_ARTIFACTS} then t.artifacts else '' end`;
  return `string_agg(
    json_array(t.id, t.agent, t.owner, t.context_id, t.status, t.status_timestamp, t.snapshot_generation)
    || char(31) || coalesce(t.status_message, '') || char(31) || coalesce(t.metadata, '')
    || char(31) || t.history || char(31) || ${artifacts ? "t.artifacts" : small}
    || char(31) || case when t.status in ${TERMINAL} then '' else coalesce((
      select string_agg(substr(e.entries, 2, length(e.entries) - 2), char(10) || ',' order by e.first)
      from ${TAIL}), '') end, char(30))`;
}

/** The bytes of a packed task `t`, unasked artifacts left out. SQLite knows them without reading the columns. */
export function bytesOfTask(artifacts: boolean): string {
  return `octet_length(t.context_id) + octet_length(t.history)
    + coalesce(octet_length(t.status_message), 0) + coalesce(octet_length(t.metadata), 0)
    + ${artifacts ? "octet_length(t.artifacts)" : "0"}
    + case when t.status in ${TERMINAL} then 0 else coalesce((
      select sum(octet_length(e.entries)) from ${TAIL}), 0) end`;
}

export function fromPacked(packed: string): readonly ListedTask[] {
  return packed.split("\x1e").map(taskOf);
}

/** The first field of a packed task. */
type PackedKey = readonly [
  id: string,
  agent: string,
  owner: string,
  contextId: string,
  status: string,
  timestamp: number,
  snapshotGeneration: number,
];

function taskOf(packed: string): ListedTask {
  const [key = "", message = "", metadata = "", history = "", artifacts = "", entries = ""] =
    packed.split("\x1f");
  const [id, agent, owner, contextId, state, timestamp, snapshotGeneration]: PackedKey =
    JSON.parse(key);
  const status = { state: stateOf(state), timestamp };
  const tail = entries === "" ? [] : entriesOf({ first: snapshotGeneration + 1, list: entries });
  const task = taskText({ id, contextId, status }, message || null, {
    metadata: metadata || null,
    history,
    artifacts,
  });
  const generation = snapshotGeneration + tail.length;
  const whole = artifacts !== "";
  return { id, agent, owner, contextId, status, generation, task, tail, whole };
}

function taskText(
  { id, contextId, status }: Pick<TaskChange, "id" | "contextId" | "status">,
  statusMessage: string | null,
  { metadata, history, artifacts }: EncodedSnapshot,
) {
  const message = statusMessage === null ? "" : `"message":${statusMessage},`;
  const timestamp = new Date(status.timestamp).toISOString();
  const head =
    `"id":${JSON.stringify(id)},"contextId":${JSON.stringify(contextId)},` +
    `"status":{"state":"${status.state}",${message}"timestamp":"${timestamp}"}`;
  // In the order of FRAGMENT.
  const fragments: Fragment[] = [
    { members: head },
    { members: metadata === null ? "" : `"metadata":${metadata}` },
    { members: `"history":${history}` },
    { members: artifacts === "" ? "" : `"artifacts":${artifacts}` },
  ];
  return readyMade<Task>(fragments);
}

/**
 * The entries of one commit as a JSON array that can be taken apart again without parsing it: each separator has a
 * line break, which no entry has. In JSON a line break can only be white space between tokens.
 */
const SEPARATOR = "\n,";

function entriesText(entries: readonly LogEntry[]): string {
  const texts = entries.map(({ text }) =>
    text.includes("\n") ? text.replaceAll("\n", " ") : text,
  );
  return `[${texts.join(SEPARATOR)}]`;
}

/** The entries of a list without its brackets, the first of them being of the generation `first`. */
export function entriesOf({ first, list }: { first: number; list: string }): readonly LogEntry[] {
  return list.split(SEPARATOR).map((text, index) => ({ generation: first + index, text }));
}
