import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { outboxContract } from "../contracts/outbox.ts";
import { pushStoreContract } from "../contracts/push-store.ts";
import { openOutbox } from "./push-outbox.ts";
import { openPushStores } from "./push-support.ts";

const folder = await mkdtemp(join(tmpdir(), "push-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

pushStoreContract("SQLite in a file", (now) =>
  openPushStores(join(folder, `${files++}.db`), { now }),
);
pushStoreContract("SQLite in memory", (now) => openPushStores(":memory:", { now }));

outboxContract("SQLite in a file", (now) => openOutbox(join(folder, `${files++}.db`), now));
outboxContract("SQLite in memory", (now) => openOutbox(":memory:", now));
