/** Webhooks and what is to be told to them, on the database that holds the tasks. */
import type { Log } from "../../../core/ports/log.ts";
import type {
  DeliveryControl,
  Outbox,
  PushConfig,
  PushConfigStore,
} from "../../../core/ports/push-store.ts";
import type { TaskChange } from "../../../core/ports/task-store.ts";
import { isTerminal } from "../../../protocol/states.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { createClaims } from "./claims.ts";
import { writeConfigs, writeNewConfigs, type NewConfig } from "./config-rows.ts";
import { createConfigs } from "./configs.ts";
import { createControl } from "./control.ts";
import { createDurability } from "./durability.ts";
import { enqueue, firstWanted } from "./enqueue.ts";
import { createOutbox } from "./outbox.ts";
import { createSecretBox, type SecretBox } from "./secrets.ts";
import type { TaskHooks } from "./task-hooks.ts";
import { loadWatched } from "./watched.ts";

export interface PushStore {
  readonly configs: PushConfigStore;
  readonly outbox: Outbox;
  readonly control: DeliveryControl;
  /** For the store of the tasks on the same database: without it nothing is due. */
  readonly taskHooks: TaskHooks;
}

export interface PushStoreOptions {
  /** Of 32 bytes each: the first one encrypts secrets, all of them decrypt; none leaves secrets as they are. */
  readonly keys: readonly Uint8Array[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of webhooks whose secrets no key opens. */
  readonly log?: Log | undefined;
}

/**
 * The store on an open database, to be made before anything is committed there, and at most once. Throws for a key of
 * another length.
 */
export async function createPushStore(
  database: Database,
  { keys, now, log }: PushStoreOptions,
): Promise<PushStore> {
  const box = createSecretBox(keys);
  const claims = createClaims();
  const durability = createDurability(database);
  const watched = await loadWatched(database);
  let wake = (): void => undefined;
  let settled = (_taskId: string): void => undefined;
  let isDue = false;

  const onDue = (): void => wake();
  const onSettled = (taskId: string): void => settled(taskId);
  const parts = { database, box, claims, durability, watched, now, log, onDue, onSettled };

  const taskHooks: TaskHooks = {
    async write(connection, changes, at) {
      durability.check();
      if (await writeOwnConfigs(connection, changes, { box, now: at })) isDue = true;
      if (await enqueue(connection, changes, { watched, now: at })) isDue = true;
    },
    committed({ id, status, pushConfigs }) {
      if (isTerminal(status.state)) watched.remove(id);
      else for (const { interest } of pushConfigs) watched.add(id, interest);
      for (const config of pushConfigs) claims.void(config);
    },
    groupCommitted() {
      // Set as well by a transaction that was given up: waking for nothing does no harm.
      if (!isDue) return;
      isDue = false;
      wake();
    },
    removed: (taskId) => watched.remove(taskId),
    onSettled(listener) {
      settled = listener;
    },
  };

  return {
    configs: createConfigs(parts),
    outbox: {
      ...createOutbox(parts),
      onDue(listener) {
        wake = listener;
      },
    },
    control: createControl(parts),
    taskHooks,
  };
}

/** Writes the webhooks that came with the changes; whether something may be due to them at once. */
async function writeOwnConfigs(
  connection: Connection,
  changes: readonly TaskChange[],
  how: { readonly box: SecretBox; readonly now: number },
): Promise<boolean> {
  const withNewTasks: NewConfig[] = [];
  const later: PushConfig[] = [];
  for (const change of changes) {
    if (change.base > 0) later.push(...change.pushConfigs);
    else
      for (const config of change.pushConfigs)
        withNewTasks.push({ config, firstDue: firstWanted(change, config) });
  }
  if (withNewTasks.length > 0) await writeNewConfigs(connection, withNewTasks, how);
  if (later.length > 0) await writeConfigs(connection, later, how);
  return later.length > 0 || withNewTasks.some(({ firstDue }) => firstDue !== undefined);
}
