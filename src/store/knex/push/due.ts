/** Reads what is due to webhooks. */
import type { Delivery } from "../../../core/ports/push-store.ts";
import type { Database } from "../database.ts";
import { CONFIG_FIELDS, fromPacked, type ConfigRow } from "./config-rows.ts";
import type { SecretBox } from "./secrets.ts";

export interface DueConfig {
  readonly row: ConfigRow;
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
}

/** A delivery is due together with those before it; the index has no config that is paused or waits for nothing. */
const DUE = "c.due_at is not null and c.is_paused = 0";

/** Of what is due, all that was there when the config's first one became due has a generation from `next` on. */
const READ = `
  select ${CONFIG_FIELDS} as config, (
    select json_group_array(json_array(d.generation, d.attempts, d.created_at)) from (
      select generation, attempts, created_at from push_deliveries
      where config = c.key and generation >= c.next and state = 'due' order by generation limit cast(?4 as integer)) d) as deliveries
  from push_notification_configs c
  where ${DUE} and c.due_at <= cast(?1 as integer) and c.key not in (select value from json_each(?2))
  order by c.due_at limit cast(?3 as integer)`;

interface ReadRow {
  readonly config: string;
  readonly deliveries: string;
}

type PackedDelivery = readonly [generation: number, attempts: number, createdAt: number];

/** Configs that have something due at `now`, other rows than the taken ones, those that wait longest first. */
export async function readDue(
  database: Database,
  box: SecretBox,
  take: {
    readonly now: number;
    readonly taken: readonly number[];
    readonly limit: number;
    readonly deliveries: number;
  },
): Promise<readonly DueConfig[]> {
  const values = [take.now, JSON.stringify(take.taken), take.limit, take.deliveries];
  const rows = await database.read((reader) => reader.all<ReadRow>(READ, values));
  return rows.map(({ config, deliveries }) => ({
    row: fromPacked(config, box),
    deliveries: deliveriesOf(deliveries),
  }));
}

function deliveriesOf(packed: string): readonly Delivery[] {
  const deliveries: readonly PackedDelivery[] = JSON.parse(packed);
  return deliveries.map(([generation, attempts, createdAt]) => ({
    generation,
    attempts,
    createdAt,
  }));
}

const NEXT = `select c.due_at as dueAt from push_notification_configs c
  where ${DUE} and c.key not in (select value from json_each(?1)) order by c.due_at limit 1`;

/** When something is due first, the taken rows left out; undefined when nothing is. */
export async function nextDue(
  database: Database,
  taken: readonly number[],
): Promise<number | undefined> {
  const values = [JSON.stringify(taken)];
  const [row] = await database.read((reader) =>
    reader.all<{ readonly dueAt: number }>(NEXT, values),
  );
  return row?.dueAt;
}
