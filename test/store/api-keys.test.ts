import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createApiKeyStore } from "../../src/store/knex/access/api-key-store.ts";
import { openDatabase } from "../../src/store/knex/database.ts";
import { apiKey, apiKeyStoreContract } from "../contracts/api-key-store.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const folder = await mkdtemp(join(tmpdir(), "api-keys-"));
after(() => rm(folder, { recursive: true }));
let files = 0;

const newFile = () => join(folder, `${files++}.db`);

async function open(file: string) {
  const database = await openDatabase(file);
  const log = new RecordedLog();
  const apiKeys = createApiKeyStore(database, { log });
  return {
    apiKeys,
    database,
    log,
    async close() {
      await apiKeys.close();
      await database.close();
    },
  };
}

apiKeyStoreContract("a SQLite file", () => open(newFile()));
apiKeyStoreContract("SQLite in memory", () => open(":memory:"));

test("has every key, its end and its last use at the next start", async () => {
  const file = newFile();
  const keys = [apiKey("zoe"), apiKey("ann", { scopes: ["send"], note: "n", expiresAt: 9000 })];
  const first = await open(file);
  for (const key of keys) await first.apiKeys.add(key);
  await first.apiKeys.revoke("zoe", 6000);
  await first.apiKeys.used("ann", 7000);
  const before = await first.apiKeys.list();
  await first.close();

  const second = await open(file);
  assert.deepEqual(await second.apiKeys.list(), before);
  assert.equal((await second.apiKeys.find(apiKey("ann").hash))?.lastUsedAt, 7000);
  assert.equal((await second.apiKeys.find(apiKey("zoe").hash))?.revokedAt, 6000);
  await second.close();
});

test("finds a key by the index of hashes", async () => {
  const { database, close } = await open(":memory:");
  const [{ detail }] = await database.knex.raw(
    "explain query plan select id from api_keys where hash = ?",
    ["x"],
  );
  assert.match(detail, /^SEARCH api_keys USING (COVERING )?INDEX .*\(hash=\?\)$/);
  await close();
});

test("writes the last uses of many keys together, after a while", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { apiKeys, database, close } = await open(":memory:");
  const stored = () => database.knex("api_keys").orderBy("position").pluck("last_used_at");
  for (const id of ["ann", "zoe", "mia"]) await apiKeys.add(apiKey(id));
  await apiKeys.used("ann", 6000);
  await apiKeys.used("zoe", 6500);
  assert.deepEqual(await stored(), [null, null, null]);
  t.mock.timers.tick(10_000);
  // A write that began before is done before this one.
  await apiKeys.revoke("nobody", 0);
  assert.deepEqual(await stored(), [6000, 6500, null]);
  await apiKeys.used("ann", 7000);
  t.mock.timers.tick(10_000);
  await apiKeys.revoke("nobody", 0);
  assert.deepEqual(await stored(), [7000, 6500, null]);
  await close();
});

test("tells of uses that cannot be written, and writes them later", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { apiKeys, database, log, close } = await open(":memory:");
  await apiKeys.add(apiKey("ann"));
  await database.knex.raw(
    "create trigger no before update on api_keys begin select raise(abort, 'no'); end",
  );
  await apiKeys.used("ann", 6000);
  t.mock.timers.tick(10_000);
  await log.until(({ message }) => message === "uses of api keys not written");
  assert.equal((await apiKeys.find(apiKey("ann").hash))?.lastUsedAt, 6000);
  await database.knex.raw("drop trigger no");
  await apiKeys.close();
  assert.deepEqual(await database.knex("api_keys").pluck("last_used_at"), [6000]);
  await close();
});

test("refuses rows that are no keys", async () => {
  const { database, close } = await open(":memory:");
  const row = { id: "a", hash: "h", principal: "p", tenant: "", scopes: "[]", created_at: 1 };
  await database.knex("api_keys").insert(row);
  for (const wrong of [row, { ...row, id: "b" }, { ...row, id: "b", hash: "i", scopes: "no" }])
    await assert.rejects(database.knex("api_keys").insert(wrong), { code: "SQLITE_CONSTRAINT" });
  await close();
});
