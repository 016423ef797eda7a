/** What is due to webhooks: taken by whoever sends it, and settled afterwards. */
import type { Log } from "../../../core/ports/log.ts";
import type { Claim, Outbox, Outcome, Settlement } from "../../../core/ports/push-store.ts";
import type { Database } from "../database.ts";
import type { Claims } from "./claims.ts";
import { nextDue, readDue, type DueConfig } from "./due.ts";
import type { Durability } from "./durability.ts";
import type { SecretBox } from "./secrets.ts";
import { writeSettlements, type RowSettlement } from "./settle.ts";

export interface OutboxParts {
  readonly database: Database;
  readonly box: SecretBox;
  readonly claims: Claims;
  readonly durability: Durability;
  readonly now: () => number;
  readonly log: Log | undefined;
  /** Told of each task of which something was settled. */
  readonly onSettled: (taskId: string) => void;
}

export type SettlingOutbox = Omit<Outbox, "onDue">;

export function createOutbox({
  database,
  box,
  claims,
  durability,
  now,
  log,
  onSettled,
}: OutboxParts): SettlingOutbox {
  let waiting: Settlement[] = [];
  let flush: Promise<void> | undefined;

  /** All that wait when the database is free go together. */
  async function settleWaiting(at: number): Promise<void> {
    await database.write(async (connection) => {
      const settlements = waiting;
      waiting = [];
      flush = undefined;
      const rows = rowSettlementsOf(settlements, claims);
      // Taken back by a power cut, it is only told twice; waiting for the disk would halve the rate of commits.
      if (rows.length > 0)
        await durability.unsynced(connection, () => writeSettlements(connection, rows, at));
      // What they were told, a claim that is being read may not have seen.
      for (const { key } of settlements) claims.end(key);
      for (const { key } of settlements) onSettled(key.taskId);
    });
  }

  function settle(settlements: readonly Settlement[], at: number): Promise<void> {
    waiting.push(...settlements);
    flush ??= settleWaiting(at);
    return flush;
  }

  return {
    async claim({ until, ...take }) {
      const read = claims.startRead();
      try {
        const taken = claims.rowsTaken(take.now);
        const due = await readDue(database, box, { ...take, taken });
        const free = due.filter(({ row }) => read.isFree(row.config, take.now));
        for (const { row } of free) claims.take(row.config, { row: row.key, until });
        const broken = free.filter(({ row }) => !row.isReadable);
        for (const { row } of broken) {
          const { agent, taskId, id: configId } = row.config;
          log?.warn({ agent, taskId, configId }, "no key opens the secrets of a webhook");
        }
        if (broken.length > 0) await settle(broken.map(brokenOf), take.now);
        return free.filter(({ row }) => row.isReadable).map(claimOf);
      } finally {
        read.end();
      }
    },
    settle,
    async nextDueAt() {
      const at = now();
      const due = await nextDue(database, claims.rowsTaken(at));
      const end = claims.nextEnd(at);
      if (due === undefined || end === undefined) return due ?? end;
      return Math.min(due, end);
    },
  };
}

function claimOf({ row, deliveries }: DueConfig): Claim {
  return { config: row.config, deliveries, isFirst: row.isNew };
}

/** Without its secrets a webhook must not be called. */
function brokenOf({ row: { config }, deliveries }: DueConfig): Settlement {
  const problem = `no key of the store opens the secrets of webhook ${config.id}`;
  const outcome: Outcome = { kind: "dead", problem };
  return {
    key: config,
    outcomes: new Map(deliveries.map(({ generation }) => [generation, outcome])),
  };
}

/** Those of configs that were removed or replaced, or that nobody took, are left out. */
function rowSettlementsOf(
  settlements: readonly Settlement[],
  claims: Claims,
): readonly RowSettlement[] {
  const rows = new Map<number, RowSettlement>();
  for (const { key, outcomes } of settlements) {
    const row = claims.rowOf(key);
    if (row !== undefined && !rows.has(row)) rows.set(row, { row, outcomes });
  }
  return [...rows.values()];
}
