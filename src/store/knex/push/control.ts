/** Deliveries as those who run the gateway see them, and what they do about them. */
import type {
  DeliveryControl,
  DeliveryQuery,
  DeliveryRecord,
  DeliveryState,
} from "../../../core/ports/push-store.ts";
import type { Database } from "../database.ts";
import { transaction } from "../transaction.ts";
import { redrive, type Redriven } from "./redrive.ts";

export interface ControlParts {
  readonly database: Database;
  readonly now: () => number;
  /** Called when something that was held back is due at once. */
  readonly onDue: () => void;
}

export function createControl({ database, now, onDue }: ControlParts): DeliveryControl {
  return {
    async deliveries(query) {
      const states = query.state === undefined ? STATES : [query.state];
      const found: DeliveryRecord[] = [];
      for (const state of states) found.push(...(await readDeliveries(database, state, query)));
      return found.sort(inOrder).slice(0, query.limit);
    },
    redrive: (which: Redriven) => redrive({ database, which, now, onDue }),
    async setPaused({ taskId, id }, isPaused) {
      const values = [taskId, id, isPaused ? 1 : 0, now()];
      const found = await database.write((connection) =>
        transaction(connection, () => connection.run(SET_PAUSED, values)),
      );
      if (found > 0 && !isPaused) onDue();
      return found > 0;
    },
    async counts() {
      const [due] = await database.knex.raw<readonly CountRow[]>(COUNT.due);
      const [dead] = await database.knex.raw<readonly CountRow[]>(COUNT.dead);
      return { due: due?.n ?? 0, dead: dead?.n ?? 0, oldestDueAt: due?.oldest ?? undefined };
    },
  };
}

const STATES: readonly DeliveryState[] = ["due", "delivered", "dead"];

/** Per state, the configs that have such deliveries, in the order of lists, and those deliveries. */
const JOINED: Readonly<Record<DeliveryState, string>> = {
  due: joined(
    "push_configs_with_due",
    "c.due_at is not null",
    "d.state = 'due' and d.generation >= c.next",
  ),
  delivered: joined("push_configs_with_delivered", "c.has_delivered = 1", "d.state = 'delivered'"),
  dead: joined("push_configs_with_dead", "c.has_dead = 1", "d.state = 'dead'"),
};

function joined(index: string, hasSome: string, isOne: string): string {
  return `from push_notification_configs c indexed by ${index} cross join push_deliveries d
    on d.config = c.key and ${isOne} where ${hasSome}`;
}

async function readDeliveries(
  { knex }: Database,
  state: DeliveryState,
  { taskId, configId, agent, after, limit }: DeliveryQuery,
): Promise<readonly DeliveryRecord[]> {
  const wheres: string[] = [];
  if (taskId !== undefined) wheres.push("and c.task_id = :taskId");
  if (configId !== undefined) wheres.push("and c.id = :configId");
  if (agent !== undefined) wheres.push("and c.agent = :agent");
  if (after !== undefined) wheres.push(AFTER);
  const sql = `${FIELDS} ${JOINED[state]} ${wheres.join(" ")} ${ORDER}`;
  const position = { afterTask: after?.taskId, afterId: after?.id, generation: after?.generation };
  const bindings = Object.entries({ taskId, configId, agent, limit, ...position });
  const rows: readonly DeliveryRow[] = await knex.raw(
    sql,
    Object.fromEntries(bindings.map(([name, value]) => [name, value ?? null])),
  );
  return rows.map(({ problem, ...row }) => ({ ...row, problem: problem ?? undefined }));
}

/** Whoever waits behind a retry is due with it. */
const FIELDS = `select c.task_id as taskId, c.id as configId, c.agent, c.owner, c.url, d.generation, d.state,
  d.attempts, case d.state when 'due' then c.due_at else d.updated_at end as dueAt, d.created_at as createdAt,
  d.updated_at as updatedAt, d.problem`;
const AFTER = `and (c.task_id, c.id) >= (:afterTask, :afterId)
  and ((c.task_id, c.id) > (:afterTask, :afterId) or d.generation > :generation)`;
const ORDER = "order by c.task_id, c.id, d.generation limit :limit";

interface DeliveryRow extends Omit<DeliveryRecord, "problem"> {
  readonly problem: string | null;
}

/** As the database orders them. */
function inOrder(one: DeliveryRecord, other: DeliveryRecord): number {
  return (
    compare(one.taskId, other.taskId) ||
    compare(one.configId, other.configId) ||
    one.generation - other.generation
  );
}

/** By code points, as UTF-8 orders: the units of UTF-16, which strings compare by, order emoji before U+FFEE. */
function compare(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const SET_PAUSED = `update push_notification_configs set is_paused = ?3, updated_at = ?4
  where task_id = ?1 and id = ?2`;

const COUNT = {
  due: `select count(*) as n, min(d.created_at) as oldest ${JOINED.due}`,
  dead: `select count(*) as n, null as oldest ${JOINED.dead}`,
};

interface CountRow {
  readonly n: number;
  readonly oldest: number | null;
}
