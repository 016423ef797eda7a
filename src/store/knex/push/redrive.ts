/** Makes dead deliveries due again, some webhooks at a time so that others may write in between. */
import type { DeliveryControl } from "../../../core/ports/push-store.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { transaction } from "../transaction.ts";

/** How many webhooks go in one transaction. */
const BATCH = 200;

export type Redriven = Parameters<DeliveryControl["redrive"]>[0];

export async function redrive(parts: {
  readonly database: Database;
  readonly which: Redriven;
  readonly now: () => number;
  readonly onDue: () => void;
}): Promise<number> {
  const { database, which, now, onDue } = parts;
  let redriven = 0;
  let after: ConfigRow | undefined;
  for (;;) {
    const configs = await configsWithDead(database, which, after);
    after = configs.at(-1);
    if (after === undefined) return redriven;
    const rows = JSON.stringify(configs.map(({ key }) => key));
    const values = { rows, generation: which.generation ?? null, now: now() };
    const count = await database.write((connection) =>
      transaction(connection, () => makeDue(connection, values)),
    );
    if (count > 0) onDue();
    redriven += count;
  }
}

interface ConfigRow {
  readonly key: number;
  readonly taskId: string;
  readonly id: string;
}

async function configsWithDead(
  { knex }: Database,
  { taskId, configId, agent }: Redriven,
  after: ConfigRow | undefined,
): Promise<readonly ConfigRow[]> {
  const wheres = ["c.has_dead = 1"];
  if (taskId !== undefined) wheres.push("c.task_id = :taskId");
  if (configId !== undefined) wheres.push("c.id = :configId");
  if (agent !== undefined) wheres.push("c.agent = :agent");
  if (after !== undefined) wheres.push("(c.task_id, c.id) > (:afterTask, :afterId)");
  const sql = `select c.key, c.task_id as taskId, c.id
    from push_notification_configs c indexed by push_configs_with_dead
    where ${wheres.join(" and ")} order by c.task_id, c.id limit ${BATCH}`;
  return knex.raw(sql, {
    taskId: taskId ?? null,
    configId: configId ?? null,
    agent: agent ?? null,
    afterTask: after?.taskId ?? null,
    afterId: after?.id ?? null,
  });
}

const DELIVERIES = `update push_deliveries set state = 'due', attempts = 0, problem = null, updated_at = ?3
  where config in (select value from json_each(?1)) and state = 'dead' and (?2 is null or generation = ?2)`;

/** To a receiver that is gone nothing is due: where something is, it has just been made so. */
const CONFIGS = `update push_notification_configs as c set gone = null, due_at = ?2,
    next = (select min(d.generation) from push_deliveries d where d.config = c.key and d.state = 'due'),
    has_dead = exists (select 1 from push_deliveries d where d.config = c.key and d.state = 'dead')
  where c.key in (select value from json_each(?1))
    and exists (select 1 from push_deliveries d where d.config = c.key and d.state = 'due')`;

async function makeDue(
  connection: Connection,
  { rows, generation, now }: { rows: string; generation: number | null; now: number },
): Promise<number> {
  const count = await connection.run(DELIVERIES, [rows, generation, now]);
  if (count > 0) await connection.run(CONFIGS, [rows, now]);
  return count;
}
