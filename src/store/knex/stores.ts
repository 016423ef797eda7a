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

export interface StoresOptions {
  /** A file, made when it is not there, or ":memory:". */
  readonly file: string;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For the secrets of webhooks, of 32 bytes each: the first encrypts, all decrypt; none leaves them as they are. */
  readonly keys: readonly Uint8Array[];
}

export interface Stores {
  readonly tasks: TaskStore;
  readonly agents: AgentStore;
  readonly apiKeys: ApiKeyStore;
  readonly archive: TaskArchive;
  readonly push: Pick<PushStore, "configs" | "outbox" | "control">;
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>;
}

/** Opens the stores, the schema brought up to date. Throws when another gateway has the file open. */
export async function openStores({ file, log, now, keys }: StoresOptions): Promise<Stores> {
  const database = await openDatabase(file);
  const push = await createPushStore(database, { now, keys, log }).catch(
    async (thrown: unknown) => {
      await database.close();
      throw thrown;
    },
  );
  const tasks = createTaskStore(database, { log, now, hooks: push.taskHooks });
  const apiKeys = createApiKeyStore(database, { log });
  return {
    tasks,
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
