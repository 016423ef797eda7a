/** The store of API keys on SQLite. One process owns the file, so what it keeps in memory is all there is to know. */
import type { ApiKey, ApiKeyStore } from "../../../core/ports/api-key-store.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { Database } from "../database.ts";
import { ApiKeyCache } from "./api-key-cache.ts";
import { ApiKeyUses } from "./api-key-uses.ts";

export interface OpenApiKeyStore extends ApiKeyStore {
  /** Writes what is not written yet; to be called before the database is closed. */
  close(): Promise<void>;
}

/** The store on an open database, which others may use too and its opener closes. */
export function createApiKeyStore(database: Database, { log }: { log: Log }): OpenApiKeyStore {
  const cache = new ApiKeyCache();
  const uses = new ApiKeyUses(database, log);
  const fromRow = (row: ApiKeyRow): ApiKey => keyOf(row, uses.unwrittenOf(row.id));
  return {
    add: (key) => add(database, key),
    async find(hash) {
      const known = cache.get(hash);
      if (known !== undefined) return known;
      const keep = cache.startFill();
      const [row] = await database.read((reader) => reader.all<ApiKeyRow>(BY_HASH, [hash]));
      if (row === undefined) return undefined;
      const key = fromRow(row);
      keep(key);
      return key;
    },
    async list() {
      const rows = await database.read((reader) => reader.all<ApiKeyRow>(ALL, []));
      return rows.map(fromRow);
    },
    async revoke(id, at) {
      try {
        return (await database.write((writer) => writer.run(REVOKE, [id, at]))) > 0;
      } finally {
        // Also where it failed: it may be written all the same.
        cache.evict(id);
      }
    },
    async used(id, at) {
      uses.note(id, at);
      cache.used(id, at);
    },
    close: () => uses.close(),
  };
}

const COLUMNS = `id, hash, principal, tenant, scopes, note, created_at as createdAt, expires_at as expiresAt,
  revoked_at as revokedAt, last_used_at as lastUsedAt`;
const BY_HASH = `select ${COLUMNS} from api_keys where hash = ?`;
const ALL = `select ${COLUMNS} from api_keys order by position`;
const REVOKE = "update api_keys set revoked_at = coalesce(revoked_at, ?2) where id = ?1";

interface ApiKeyRow {
  readonly id: string;
  readonly hash: string;
  readonly principal: string;
  readonly tenant: string;
  readonly scopes: string;
  readonly note: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

function keyOf(row: ApiKeyRow, unwrittenUse: number | undefined): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    principal: { id: row.principal, tenant: row.tenant },
    scopes: JSON.parse(row.scopes) as readonly string[],
    note: row.note ?? undefined,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt ?? undefined,
    revokedAt: row.revokedAt ?? undefined,
    lastUsedAt: unwrittenUse ?? row.lastUsedAt ?? undefined,
  };
}

const ADD = `insert into api_keys
    (id, hash, principal, tenant, scopes, note, created_at, expires_at, revoked_at, last_used_at)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;

async function add(database: Database, key: ApiKey): Promise<void> {
  const values = [
    key.id,
    key.hash,
    key.principal.id,
    key.principal.tenant,
    JSON.stringify(key.scopes),
    key.note ?? null,
    key.createdAt,
    key.expiresAt ?? null,
    key.revokedAt ?? null,
    key.lastUsedAt ?? null,
  ];
  await database.write((writer) => writer.run(ADD, values));
}
