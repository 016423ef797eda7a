/** Webhooks as a store gets them, with everything filled in that a test does not care about. */
import type {
  Claim,
  DeliveryQuery,
  News,
  Outcome,
  PushConfig,
  Settlement,
} from "../../src/core/ports/push-store.ts";
import type { NewEntry, TaskChange } from "../../src/core/ports/task-store.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { createPushStore, type PushStore } from "../../src/store/knex/push/push-store.ts";
import { createTaskStore, type KnexTaskStore } from "../../src/store/knex/task-store.ts";
import { entries } from "./changes.ts";

export interface PushStores extends PushStore {
  readonly tasks: KnexTaskStore;
  close(): Promise<void>;
}

/** The stores of tasks and of webhooks on one database. */
export async function openPushStores(
  file: string,
  { now = Date.now, keys = [] }: { now?: () => number; keys?: readonly Uint8Array[] } = {},
): Promise<PushStores> {
  const database = await openDatabase(file);
  const push = await createPushStore(database, { keys, now });
  const tasks = createTaskStore(database, { now, hooks: push.taskHooks });
  return { ...push, tasks, close: () => tasks.close() };
}

/** A webhook of the task of that change, as it comes with the change. */
export function webhook(change: TaskChange, fields: Partial<PushConfig> = {}): PushConfig {
  return {
    taskId: change.id,
    id: "hook",
    agent: change.agent,
    owner: change.owner,
    url: "https://example.com/hook",
    token: undefined,
    authentication: undefined,
    version: "1.0",
    interest: "default",
    since: change.base,
    createdAt: 5000,
    ...fields,
  };
}

export function scopeOf({ id, agent, owner }: TaskChange) {
  return { taskId: id, agent, owner };
}

/** Entries from `first` on, one of each kind of news. */
export function newsOf(first: number, ...news: readonly News[]): NewEntry[] {
  return entries(first, first + news.length - 1).map((entry, index) => ({
    ...entry,
    news: news[index] ?? "status",
  }));
}

/** Takes everything that is due. */
export const everything = (now: number) => ({
  now,
  until: now + 1000,
  limit: 100,
  deliveries: 100,
});

export function generationsOf(claims: readonly Claim[]): number[][] {
  return claims.map(({ deliveries }) => deliveries.map(({ generation }) => generation));
}

export const DELIVERED: Outcome = { kind: "delivered", status: 200 };

/** Every delivery of the claim met with the same outcome. */
export function settled({ config, deliveries }: Claim, outcome: Outcome = DELIVERED): Settlement {
  return {
    key: { taskId: config.taskId, id: config.id },
    outcomes: new Map(deliveries.map(({ generation }) => [generation, outcome])),
  };
}

/** All deliveries, or those that fit. */
export function deliveryQuery(fields: Partial<DeliveryQuery> = {}): DeliveryQuery {
  return {
    state: undefined,
    taskId: undefined,
    configId: undefined,
    agent: undefined,
    after: undefined,
    limit: 1000,
    ...fields,
  };
}

export const EVERYTHING_DEAD = {
  taskId: undefined,
  configId: undefined,
  agent: undefined,
  generation: undefined,
} as const;
