/** Writes a group of changes inside a transaction, with one statement per table whatever their number. */
import { addCounts } from "./counts.ts";
import type { Connection } from "./connection.ts";
import { multiRow, type MultiRow } from "./multi-row.ts";
import type { TaskHooks } from "./push/task-hooks.ts";
import { TERMINAL, type EncodedChange } from "./rows.ts";

/**
 * Writes the changes, of as many tasks; false when the guards refused any of them, so that the transaction must not
 * be committed. The guards are in the statements: a new task must not be there, a changed one must hold the
 * generation that the change was based on and must not be in a terminal state.
 */
export async function writeChanges(
  connection: Connection,
  encoded: readonly EncodedChange[],
  { now, hooks }: { readonly now: number; readonly hooks: TaskHooks | undefined },
): Promise<boolean> {
  for (const { statement, selects, guarded } of STEPS) {
    const selected = encoded.filter(selects);
    if (selected.length === 0) continue;
    const changed = await statement.run(connection, selected, [now]);
    if (guarded && changed !== selected.length) return false;
  }
  const changes = encoded.map(({ change }) => change);
  await addCounts(connection, changes);
  await hooks?.write(connection, changes, now);
  return true;
}

interface Step {
  readonly statement: MultiRow<EncodedChange>;
  selects(encoded: EncodedChange): boolean;
  /** Whether each change must have changed a row. */
  readonly guarded: boolean;
}

const isNew = ({ change }: EncodedChange) => change.base === 0;
const isSuccessor = ({ change }: EncodedChange) => change.base > 0;

const insertTasks: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4, $5, $6, $7, $7, ?1, ?1, $8, $9, $10, $11, $12, $13)",
    shared: 1,
    sql: (rows) =>
      `insert into tasks (id, agent, owner, context_id, status, status_timestamp, generation, snapshot_generation,
         created_at, updated_at, status_message, metadata, history, artifacts, upstream_task_id, upstream_context_id)
       values ${rows} on conflict (id) do nothing`,
    valuesOf: ({ change, status, generation, statusMessage, snapshot }) => [
      change.id,
      change.agent,
      change.owner,
      change.contextId,
      status,
      change.status.timestamp,
      generation,
      statusMessage,
      snapshot?.metadata ?? null,
      snapshot?.history ?? null,
      snapshot?.artifacts ?? null,
      change.upstream?.taskId ?? null,
      change.upstream?.contextId ?? null,
    ],
  }),
  selects: isNew,
  guarded: true,
};

const eventValues = ({ change, generation, entries }: EncodedChange) => [
  change.id,
  change.base + 1,
  generation,
  entries,
];

const startLogs: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4)",
    sql: (rows) => `insert into task_events (task_id, first, last, entries) values ${rows}`,
    valuesOf: eventValues,
  }),
  selects: isNew,
  guarded: true,
};

/** The newest generation is the last of the log: entries that leave the status alone do not touch the task's row. */
const appendToLogs: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4)",
    sql: (rows) =>
      `with v (task_id, first, last, entries) as (values ${rows})
       insert into task_events (task_id, first, last, entries)
       select v.task_id, v.first, v.last, v.entries from v
       where v.first = 1 + (
           select e.last from task_events e where e.task_id = v.task_id order by e.first desc limit 1)
         and (select t.status from tasks t where t.id = v.task_id) not in ${TERMINAL}`,
    valuesOf: eventValues,
  }),
  selects: isSuccessor,
  guarded: true,
};

const rewriteTasks: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4, $5, $6, $7, $8)",
    shared: 1,
    sql: (rows) =>
      `with v (id, status, status_timestamp, generation, status_message, metadata, history, artifacts)
         as (values ${rows})
       update tasks set status = v.status, status_timestamp = v.status_timestamp, generation = v.generation,
         snapshot_generation = v.generation, updated_at = ?1, status_message = v.status_message,
         metadata = v.metadata, history = v.history, artifacts = v.artifacts
       from v where tasks.id = v.id and tasks.status not in ${TERMINAL}`,
    valuesOf: ({ change, status, generation, statusMessage, snapshot }) => [
      change.id,
      status,
      change.status.timestamp,
      generation,
      statusMessage,
      snapshot?.metadata ?? null,
      snapshot?.history ?? null,
      snapshot?.artifacts ?? null,
    ],
  }),
  selects: (encoded) => isSuccessor(encoded) && encoded.snapshot !== undefined,
  guarded: true,
};

/**
 * A status that is the same in every respect is left alone: writing a row means writing all of it, however large the
 * snapshot in it has grown. Within a millisecond only the message can tell two statuses apart.
 */
const updateStatuses: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4, $5)",
    shared: 1,
    sql: (rows) =>
      `with v (id, status, status_timestamp, generation, status_message) as (values ${rows})
       update tasks set status = v.status, status_timestamp = v.status_timestamp, generation = v.generation,
         updated_at = ?1, status_message = v.status_message
       from v where tasks.id = v.id and tasks.status not in ${TERMINAL}
         and (tasks.status <> v.status or tasks.status_timestamp <> v.status_timestamp
           or tasks.status_message is not v.status_message)`,
    valuesOf: ({ change, status, generation, statusMessage }) => [
      change.id,
      status,
      change.status.timestamp,
      generation,
      statusMessage,
    ],
  }),
  selects: (encoded) =>
    isSuccessor(encoded) &&
    encoded.snapshot === undefined &&
    (isStatusChange(encoded) || encoded.statusMessage !== null),
  guarded: false,
};

function isStatusChange({ change: { status, previous } }: EncodedChange): boolean {
  return status.state !== previous?.state || status.timestamp !== previous.timestamp;
}

/** The newest task that a message opened is the one that repeats are answered with. */
const insertSent: Step = {
  statement: multiRow({
    row: "($1, $2, $3, $4, $5, ?1)",
    shared: 1,
    sql: (rows) =>
      `insert into sent_messages (agent, owner, message_id, task_id, fingerprint, created_at) values ${rows}
       on conflict (agent, owner, message_id) do update set
         task_id = excluded.task_id, fingerprint = excluded.fingerprint, created_at = excluded.created_at`,
    valuesOf: ({ change: { agent, owner, sent, id } }) => [
      agent,
      owner,
      sent?.messageId ?? null,
      id,
      sent?.fingerprint ?? null,
    ],
  }),
  selects: ({ change }) => change.sent !== undefined,
  guarded: true,
};

const setUpstreams: Step = {
  statement: multiRow({
    row: "($1, $2, $3)",
    sql: (rows) =>
      `with v (id, upstream_task_id, upstream_context_id) as (values ${rows})
       update tasks set upstream_task_id = v.upstream_task_id, upstream_context_id = v.upstream_context_id
       from v where tasks.id = v.id`,
    valuesOf: ({ change: { id, upstream } }) => [
      id,
      upstream?.taskId ?? null,
      upstream?.contextId ?? null,
    ],
  }),
  selects: (encoded) => isSuccessor(encoded) && encoded.change.upstream !== undefined,
  guarded: true,
};

/** In this order: a log refers to its task, and its guard must see the task as it was. */
const STEPS: readonly Step[] = [
  insertTasks,
  startLogs,
  appendToLogs,
  rewriteTasks,
  updateStatuses,
  insertSent,
  setUpstreams,
];
