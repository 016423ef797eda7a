/** Webhooks as their owners see them. */
import type {
  PushConfig,
  PushConfigKey,
  PushConfigStore,
  TaskScope,
} from "../../../core/ports/push-store.ts";
import { A2AError } from "../../../protocol/errors.ts";
import { isTerminal } from "../../../protocol/states.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { stateOf } from "../rows.ts";
import { transaction } from "../transaction.ts";
import type { Claims } from "./claims.ts";
import { CONFIG_FIELDS, fromPacked, writeConfigs } from "./config-rows.ts";
import type { Durability } from "./durability.ts";
import type { SecretBox } from "./secrets.ts";
import type { Watched } from "./watched.ts";

export interface ConfigsParts {
  readonly database: Database;
  readonly box: SecretBox;
  readonly claims: Claims;
  readonly durability: Durability;
  readonly watched: Watched;
  readonly now: () => number;
  /** Called when something that waited is due at once. */
  readonly onDue: () => void;
  /** Told of each task of which something is due no more. */
  readonly onSettled: (taskId: string) => void;
}

export function createConfigs(parts: ConfigsParts): PushConfigStore {
  const { database, box, claims, durability, watched, now, onDue, onSettled } = parts;
  return {
    async put(config, limit) {
      const written = await database.write(async (connection) => {
        const result = await transaction(connection, async () => {
          const task = await findTask(connection, config);
          if (task.others >= limit)
            throw new A2AError(
              "INVALID_PARAMS",
              `task ${config.taskId} has ${limit} webhooks already`,
            );
          durability.check();
          const at = now();
          const complete = { ...config, since: task.generation, createdAt: at };
          await writeConfigs(connection, [complete], { box, now: at });
          return { status: task.status, row: await readWritten(connection, config) };
        });
        // Still alone among the writes: the next commit finds it so.
        claims.void(config);
        if (!isTerminal(stateOf(result.status))) watched.add(config.taskId, config.interest);
        return result.row;
      });
      if (written.isDue === 1) onDue();
      return readable(written, box);
    },

    async find(scope, id) {
      const values = [scope.taskId, id, scope.agent, scope.owner];
      const rows = await database.read((reader) => reader.all<PackedRow>(FIND, values));
      return rows.map((row) => readable(row, box))[0];
    },

    async list(scope, after, limit) {
      const values = [scope.taskId, scope.agent, scope.owner, after ?? "", limit];
      const rows = await database.read((reader) => reader.all<PackedRow>(LIST, values));
      return rows.map((row) => readable(row, box));
    },

    remove: (scope, id) =>
      database.write(async (connection) => {
        if (!(await removeConfig(connection, scope, id, durability))) return;
        claims.void({ taskId: scope.taskId, id });
        if (await hasNone(connection, scope.taskId)) watched.remove(scope.taskId);
        onSettled(scope.taskId);
      }),
  };
}

interface PackedRow {
  readonly config: string;
}

/**
 * Throws UNAVAILABLE for a config whose secrets no key opens: whoever is shown it without them, and writes it back,
 * would erase them. It can be removed or replaced all the same.
 */
function readable(row: PackedRow, box: SecretBox): PushConfig {
  const { config, isReadable } = fromPacked(row.config, box);
  if (isReadable) return config;
  const text = `the secrets of push notification config ${JSON.stringify(config.id)} cannot be read`;
  throw new A2AError("UNAVAILABLE", text);
}

const FROM = "from push_notification_configs c where c.task_id = ?1";
const FIND = `select ${CONFIG_FIELDS} as config ${FROM} and c.id = ?2 and c.agent = ?3 and c.owner = ?4`;
const LIST = `select ${CONFIG_FIELDS} as config ${FROM} and c.agent = ?2 and c.owner = ?3 and c.id > ?4
  order by c.id limit ?5`;

/** The newest generation is the last of the log; a task without a log has ended, and its row is as of its end. */
const TASK = `
  select t.status,
    coalesce((select e.last from task_events e where e.task_id = t.id order by e.first desc limit 1), t.generation)
      as generation,
    (select count(*) from push_notification_configs c where c.task_id = t.id and c.id <> ?4) as others
  from tasks t where t.id = ?1 and t.agent = ?2 and t.owner = ?3`;

interface TaskRow {
  readonly status: string;
  readonly generation: number;
  /** How many webhooks of other ids it has. */
  readonly others: number;
}

async function findTask(
  connection: Connection,
  { taskId, agent, owner, id }: Pick<PushConfig, "taskId" | "agent" | "owner" | "id">,
): Promise<TaskRow> {
  const [row] = await connection.all<TaskRow>(TASK, [taskId, agent, owner, id]);
  if (row === undefined)
    throw new A2AError("TASK_NOT_FOUND", `no task ${taskId}`, { metadata: { taskId } });
  return row;
}

const WRITTEN = `select ${CONFIG_FIELDS} as config, c.due_at is not null as isDue ${FROM} and c.id = ?2`;

interface WrittenRow extends PackedRow {
  readonly isDue: number;
}

async function readWritten(
  connection: Connection,
  { taskId, id }: PushConfigKey,
): Promise<WrittenRow> {
  const [row] = await connection.all<WrittenRow>(WRITTEN, [taskId, id]);
  if (row === undefined) throw new Error(`webhook ${id} of task ${taskId} was not written`);
  return row;
}

const REMOVE = `delete from push_notification_configs
  where task_id = ?1 and id = ?2 and agent = ?3 and owner = ?4`;

async function removeConfig(
  connection: Connection,
  scope: TaskScope,
  id: string,
  durability: Durability,
): Promise<boolean> {
  const values = [scope.taskId, id, scope.agent, scope.owner];
  return transaction(connection, async () => {
    durability.check();
    return (await connection.run(REMOVE, values)) > 0;
  });
}

async function hasNone(connection: Connection, taskId: string): Promise<boolean> {
  const rows = await connection.all(`select 1 ${FROM} limit 1`, [taskId]);
  return rows.length === 0;
}
