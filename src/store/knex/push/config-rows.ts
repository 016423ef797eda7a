/** Between webhooks and the rows of `push_notification_configs`. */
import type { Interest, PushConfig } from "../../../core/ports/push-store.ts";
import type { Connection } from "../connection.ts";
import { packedRows } from "./packed-rows.ts";
import type { SecretBox } from "./secrets.ts";

/** The fields of a row as a JSON array in SQL, of configs `c`: the driver's price is per value. */
export const CONFIG_FIELDS = `json_array(c.key, c.task_id, c.id, c.agent, c.owner, c.url, c.secrets, c.version,
  c.interest, c.since, c.created_at, c.is_new)`;

type ConfigFields = readonly [
  key: number,
  taskId: string,
  id: string,
  agent: string,
  owner: string,
  url: string,
  secrets: string | null,
  version: string,
  interest: Interest,
  since: number,
  createdAt: number,
  isNew: number,
];

export interface ConfigRow {
  /** The row's own number: another one when a config is removed and put again. */
  readonly key: number;
  readonly config: PushConfig;
  /** Whether its secrets could be read; if not, the config has none. */
  readonly isReadable: boolean;
  /** Whether nothing was delivered to it since it was registered. */
  readonly isNew: boolean;
}

/** The row whose fields CONFIG_FIELDS packed. */
export function fromPacked(packed: string, box: SecretBox): ConfigRow {
  const fields: ConfigFields = JSON.parse(packed);
  const [key, taskId, id, agent, owner, url, secrets, version, interest, since, createdAt, isNew] =
    fields;
  const opened = box.open({ taskId, id }, secrets);
  const { token, authentication } = opened ?? {};
  const config: PushConfig = {
    taskId,
    id,
    agent,
    owner,
    url,
    token,
    authentication,
    version,
    interest,
    since,
    createdAt,
  };
  return { key, config, isReadable: opened !== undefined, isNew: isNew === 1 };
}

/**
 * Writes configs of tasks that are there. One that replaces another is as good as new, but what is due stays due, now
 * and with no attempts; it stays paused, and as old as the first.
 */
export async function writeConfigs(
  connection: Connection,
  configs: readonly PushConfig[],
  { box, now }: { readonly box: SecretBox; readonly now: number },
): Promise<void> {
  await forgetAttempts.run(connection, configs, now);
  await writeNewConfigs(
    connection,
    configs.map((config) => ({ config, firstDue: undefined })),
    { box, now },
  );
}

/** A config that nothing was ever due to, and the generation of what is due to it first, if anything is. */
export interface NewConfig {
  readonly config: PushConfig;
  readonly firstDue: number | undefined;
}

/** Writes configs of tasks that are there and had no webhooks. */
export async function writeNewConfigs(
  connection: Connection,
  configs: readonly NewConfig[],
  { box, now }: { readonly box: SecretBox; readonly now: number },
): Promise<void> {
  const items = configs.map(({ config, firstDue }) => ({
    config,
    firstDue,
    secrets: box.seal(config, config),
  }));
  await upsert.run(connection, items, now);
}

const forgetAttempts = packedRows<PushConfig>({
  columns: ["task_id", "id"],
  sql: `update push_deliveries set attempts = 0, updated_at = ?1
     where state = 'due' and attempts > 0 and config in (
       select c.key from v cross join push_notification_configs c
         on c.task_id = v.task_id and c.id = v.id and c.due_at is not null)`,
  valuesOf: ({ taskId, id }) => [taskId, id],
});

const CONFIG_COLUMNS = [
  "task_id",
  "id",
  "agent",
  "owner",
  "url",
  "secrets",
  "version",
  "interest",
  "since",
  "created_at",
  "next",
];

const upsert = packedRows<NewConfig & { readonly secrets: string | null }>({
  columns: CONFIG_COLUMNS,
  sql: `insert into push_notification_configs (${CONFIG_COLUMNS.join(", ")}, updated_at, due_at)
     select v.*, ?1, case when v.next is null then null else ?1 end from v where true
     on conflict (task_id, id) do update set url = excluded.url, secrets = excluded.secrets,
       version = excluded.version, interest = excluded.interest, since = excluded.since, is_new = 1, gone = null,
       due_at = case when due_at is null then null else min(due_at, ?1) end, updated_at = ?1`,
  valuesOf: ({ config, secrets, firstDue }) => [
    config.taskId,
    config.id,
    config.agent,
    config.owner,
    config.url,
    secrets,
    config.version,
    config.interest,
    config.since,
    config.createdAt,
    firstDue ?? null,
  ],
});
