/** Writes down what became of deliveries. */
import type { Outcome } from "../../../core/ports/push-store.ts";
import type { Connection } from "../connection.ts";
import { packedRows } from "./packed-rows.ts";

/** What became of the deliveries of a config's row, by generation. */
export interface RowSettlement {
  readonly row: number;
  readonly outcomes: ReadonlyMap<number, Outcome>;
}

/**
 * Writes the settlements, of as many configs; to be called in a transaction. What is not due any more stays as it is.
 * A config of which something is due after that is due at once, or when its retry is.
 */
export async function writeSettlements(
  connection: Connection,
  settlements: readonly RowSettlement[],
  now: number,
): Promise<void> {
  const settled = settlements.flatMap(({ row, outcomes }) =>
    [...outcomes].map(([generation, outcome]) => ({ row, generation, outcome })),
  );
  await settleDeliveries.run(connection, settled, now);
  for (const { row, outcome } of settled)
    if (outcome.kind === "gone")
      await endConfig(connection, { row, problem: outcome.problem, now });
  await settleConfigs.run(connection, settlements, now);
}

interface Settled {
  readonly row: number;
  readonly generation: number;
  readonly outcome: Outcome;
}

const STATE: Readonly<Record<Outcome["kind"], string>> = {
  delivered: "delivered",
  retry: "due",
  dead: "dead",
  gone: "dead",
};

const settleDeliveries = packedRows<Settled>({
  columns: ["config", "generation", "state", "problem"],
  sql: `update push_deliveries as d set state = v.state, problem = v.problem, attempts = d.attempts + 1, updated_at = ?1
     from v where d.config = v.config and d.generation = v.generation and d.state = 'due'`,
  valuesOf: ({ row, generation, outcome }) => [
    row,
    generation,
    STATE[outcome.kind],
    outcome.kind === "delivered" ? null : outcome.problem,
  ],
});

const END_DELIVERIES = `update push_deliveries set state = 'dead', problem = ?2, updated_at = ?3
  where config = ?1 and state = 'due'`;
const END_CONFIG = "update push_notification_configs set gone = ?2 where key = ?1";

async function endConfig(
  connection: Connection,
  { row, problem, now }: { readonly row: number; readonly problem: string; readonly now: number },
): Promise<void> {
  await connection.run(END_DELIVERIES, [row, problem, now]);
  await connection.run(END_CONFIG, [row, problem]);
}

const settleConfigs = packedRows<RowSettlement>({
  columns: ["key", "retry_at", "has_delivered", "has_dead"],
  sql: `update push_notification_configs as c set
       (next, due_at) = (
         select d.generation, coalesce(v.retry_at, ?1) from push_deliveries d
         where d.config = c.key and d.generation >= c.next and d.state = 'due' order by d.generation limit 1),
       is_new = case when v.has_delivered then 0 else c.is_new end,
       has_delivered = max(c.has_delivered, v.has_delivered), has_dead = max(c.has_dead, v.has_dead)
     from v where c.key = v.key`,
  valuesOf: ({ row, outcomes }) => {
    let retryAt: number | null = null;
    let hasDelivered = 0;
    let hasDead = 0;
    for (const outcome of outcomes.values()) {
      switch (outcome.kind) {
        case "delivered":
          hasDelivered = 1;
          break;
        case "retry":
          retryAt = outcome.at;
          break;
        case "dead":
        case "gone":
          hasDead = 1;
          break;
      }
    }
    return [row, retryAt, hasDelivered, hasDead];
  },
});
