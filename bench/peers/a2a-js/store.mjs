/** The SDK's SQLite store on a file, with finished tasks in it. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseTaskStore } from "@a2a-js/sdk/server/database";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";

const SPACING_MS = 20;
const PADDING = "x".repeat(100);

export async function openStore(file, seed) {
  const sdk = dirname(createRequire(import.meta.url).resolve("@a2a-js/sdk"));
  const migrate = [join(sdk, "cli/a2a_db.js"), "upgrade", "--url", `sqlite:${file}`];
  execFileSync(process.execPath, migrate, { stdio: "ignore" });
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  if (seed > 0) fill(database, seed);
  return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database }) }));
}

/** In the store's own format, by SQL: its own way would take minutes. */
function fill(database, count) {
  const insert = database.prepare(
    `insert into tasks (tenant, owner, id, context_id, status_last_updated, status_state, status, artifacts, history,
       metadata, protocol_version)
     values ('', 'unknown', ?, ?, ?, 'TASK_STATE_COMPLETED', ?, ?, ?, null, '1.0')`,
  );
  const start = Date.now() - count * SPACING_MS;
  database.transaction(() => {
    for (let number = 0; number < count; number++) insert.run(...rowOf(number, start));
  })();
}

function rowOf(number, start) {
  const time = start + number * SPACING_MS;
  const id = randomUUID();
  const contextId = randomUUID();
  const parts = [{ text: `seed ${number} ${PADDING}` }];
  const status = { state: "TASK_STATE_COMPLETED", timestamp: new Date(time).toISOString() };
  const artifacts = [{ artifactId: randomUUID(), name: "echo", parts }];
  const history = [{ messageId: randomUUID(), contextId, taskId: id, role: "ROLE_USER", parts }];
  return [id, contextId, time, ...[status, artifacts, history].map((part) => JSON.stringify(part))];
}
