/** Everything that the gateway keeps, in one database. */
import type { AgentStore } from "../../core/ports/agent-store.ts";
import type { ApiKeyStore } from "../../core/ports/api-key-store.ts";
import type { Log } from "../../core/ports/log.ts";
import type { TaskArchive } from "../../core/ports/task-search.ts";
import type { TaskStore } from "../../core/ports/task-store.ts";
import { createApiKeyStore } from "./access/api-key-store.ts";
import { createAgentStore } from "./agents/agent-store.ts";
import { openDatabase } from "./database.ts";
import { createPushStore, type PushStore } from "./push/push-store.ts";
import { createTaskArchive } from "./task-archive.ts";
import { createTaskStore } from "./task-store.ts";
import { closeUsage, openUsage, type UsageCounts } from "./usage.ts";

export interface StoresOptions {
  /** A file, made when it is not there, or ":memory:". */
  readonly file: string;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For the secrets of webhooks, of 32 bytes each: the first encrypts, all decrypt; none leaves them as they are. */
  readonly keys: readonly Uint8Array[];
  /** Whether it is counted what is kept of whose tasks. */
  readonly countsUsage?: boolean;
}

export interface Stores {
  readonly tasks: TaskStore;
  readonly agents: AgentStore;
  readonly apiKeys: ApiKeyStore;
  readonly archive: TaskArchive;
  /** Undefined where it is not counted. */
  readonly usage: UsageCounts | undefined;
  readonly push: Pick<PushStore, "configs" | "outbox" | "control">;
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>;
}

/** Opens the stores, the schema brought up to date. Throws when another gateway has the file open. */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { file, log, now, keys, countsUsage = false } = options;
  const database = await openDatabase(file);
  const closed = async (thrown: unknown): Promise<never> => {
    await database.close();
    throw thrown;
  };
  const push = await createPushStore(database, { now, keys, log }).catch(closed);
  const counting = countsUsage ? openUsage(database, log) : closeUsage(database);
  const usage = (await counting.catch(closed)) ?? undefined;
  const tasks = createTaskStore(database, { log, now, hooks: push.taskHooks, usage });
  const apiKeys = createApiKeyStore(database, { log });
  return {
    tasks,
    usage,
    push,
    agents: createAgentStore(database, { now }),
    apiKeys,
    archive: createTaskArchive(database),
    async close() {
      await apiKeys.close();
      await tasks.close();
    },
  };
}
