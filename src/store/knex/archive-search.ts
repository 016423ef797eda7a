/**
 * Pages of tasks of many agents and owners, without an index of their own. Tasks are in order within a scope, that is an
 * agent and an owner, and the counts say which scopes there are. A page of so many tasks has tasks of no more scopes than
 * that, and these are the ones whose newest tasks are the newest: from each of them as many tasks are taken, and of all
 * these the first. Of the other scopes only the newest task is looked at, which takes some microseconds for each.
 */
import type { Upstream } from "../../core/ports/handler.ts";
import type { FoundTask, TaskSearch } from "../../core/ports/task-search.ts";
import type { Database } from "./database.ts";
import { stateOf, statusOf } from "./rows.ts";

/** On a connection of its own: where there are very many scopes, a search is long. */
export async function searchTasks(
  database: Database,
  query: TaskSearch,
): Promise<readonly FoundTask[]> {
  const sql = query.id === undefined ? acrossScopesSql(query) : byIdSql(query);
  const rows: readonly FoundRow[] = await database.knex.raw(sql, valuesOf(query));
  return rows.map(fromRow);
}

/** The columns that say where a task lives at a remote agent. */
export interface UpstreamColumns {
  readonly upstreamTaskId: string | null;
  readonly upstreamContextId: string | null;
}

export function upstreamOf(row: UpstreamColumns): Upstream | undefined {
  const { upstreamTaskId: taskId, upstreamContextId: contextId } = row;
  return taskId === null ? undefined : { taskId, contextId: contextId ?? undefined };
}

interface FoundRow extends UpstreamColumns {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly contextId: string;
  readonly status: string;
  readonly timestamp: number;
  readonly createdAt: number;
  readonly generation: number;
}

function fromRow(row: FoundRow): FoundTask {
  const { id, agent, owner, contextId, status, timestamp, createdAt, generation } = row;
  const state = stateOf(status);
  const upstream = upstreamOf(row);
  return { id, agent, owner, contextId, state, timestamp, createdAt, generation, upstream };
}

const ORDER = "order by t.status_timestamp desc, t.id desc";

/** The newest generation is in the log, for as long as there is one. */
const FOUND = `
  select t.id, t.agent, t.owner, t.context_id as contextId, t.status, t.status_timestamp as timestamp,
    t.created_at as createdAt, t.upstream_task_id as upstreamTaskId,
    t.upstream_context_id as upstreamContextId,
    coalesce((select e.last from task_events e where e.task_id = t.id order by e.first desc limit 1),
      t.generation) as generation`;

/** There are few tasks of an id, if any: the one here, and those that have it at a remote agent. */
function byIdSql(query: TaskSearch): string {
  const wheres = ["t.id = ids.id", ...scopeWheres(query), ...taskWheres(query)].join(" and ");
  return `
    with ids (id) as (select :id union select u.id from tasks u where u.upstream_task_id = :id)
    ${FOUND} from ids cross join tasks t on ${wheres} ${ORDER} limit :limit`;
}

/** The counts over all time, at level 0, have a row for each status that tasks of a scope have. */
function acrossScopesSql(query: TaskSearch): string {
  const counted = ["level = 0", ...scopeWheres(query), ...statusWheres(query)].join(" and ");
  const wheres = ["t.agent = s.agent", "t.owner = s.owner", ...taskWheres(query)].join(" and ");
  const fitting = `from tasks t where ${wheres} ${ORDER}`;
  return `
    with scopes as (select distinct agent, owner from task_counts where ${counted}),
    newest as materialized (
      select agent, owner, (select t.status_timestamp ${fitting} limit 1) as timestamp,
        (select t.id ${fitting} limit 1) as id
      from scopes s order by timestamp desc, id desc limit :limit),
    page as materialized (
      select j.value ->> 0 as timestamp, j.value ->> 1 as id from newest s, json_each((
        select json_group_array(json_array(status_timestamp, id)) from (
          select t.status_timestamp, t.id ${fitting} limit :limit))) j
      order by timestamp desc, id desc limit :limit)
    ${FOUND} from page cross join tasks t on t.id = page.id ${ORDER}`;
}

/** Of the columns that tasks and counts have both. */
function scopeWheres({ agent, owner }: TaskSearch): readonly string[] {
  return presentOf([
    [agent, "agent = :agent"],
    [owner, "owner = :owner"],
  ]);
}

function statusWheres({ state }: TaskSearch): readonly string[] {
  return presentOf([[state, "status = :status"]]);
}

function taskWheres({ contextId, state, from, before, after }: TaskSearch): readonly string[] {
  // By the index of contexts where one is given: the plus keeps that of statuses away.
  const status = contextId === undefined ? "t.status" : "+t.status";
  return presentOf([
    [contextId, "t.context_id = :contextId"],
    [state, `${status} = :status`],
    [from, "t.status_timestamp >= :from"],
    [before, "t.status_timestamp < :before"],
    [after, "(t.status_timestamp, t.id) < (:afterTimestamp, :afterId)"],
  ]);
}

/** The conditions whose values are there. */
function presentOf(conditions: readonly (readonly [value: unknown, sql: string])[]) {
  return conditions.flatMap(([value, sql]) => (value === undefined ? [] : [sql]));
}

/** Every value that a condition may name; null for those that none does. */
function valuesOf({ id, agent, owner, contextId, state, from, before, after, limit }: TaskSearch) {
  return {
    id: id ?? null,
    agent: agent ?? null,
    owner: owner ?? null,
    contextId: contextId ?? null,
    status: state === undefined ? null : statusOf(state),
    from: from ?? null,
    before: before ?? null,
    afterTimestamp: after?.timestamp ?? null,
    afterId: after?.id ?? null,
    limit,
  };
}
