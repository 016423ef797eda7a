/** Where tasks live at a remote agent. */
import type { Upstream } from "../../core/ports/handler.ts";
import type { Database } from "./database.ts";

const UPSTREAMS = `select id, upstream_task_id as taskId, upstream_context_id as contextId from tasks
  where id in (select value from json_each(?)) and upstream_task_id is not null`;

interface UpstreamRow {
  readonly id: string;
  readonly taskId: string;
  readonly contextId: string | null;
}

export async function upstreamsOf(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Upstream>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read((reader) =>
    reader.all<UpstreamRow>(UPSTREAMS, [JSON.stringify(ids)]),
  );
  return new Map(
    rows.map(({ id, taskId, contextId }) => [id, { taskId, contextId: contextId ?? undefined }]),
  );
}
