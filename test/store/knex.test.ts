import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { storeContract } from "../contracts/store.ts";

const folder = await mkdtemp(join(tmpdir(), "store-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

storeContract("a SQLite file", (now) =>
  openTaskStore({ file: join(folder, `${files++}.db`), now }),
);
storeContract("a SQLite file without a cache", (now) =>
  openTaskStore({ file: join(folder, `${files++}.db`), now, cacheTasks: 0 }),
);
storeContract("SQLite in memory", (now) => openTaskStore({ file: ":memory:", now }));
