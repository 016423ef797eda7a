import type { ApiKey, ApiKeyStore, IssuedKey } from "../../core/ports/api-key-store.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { hashOfKey, newKey } from "./key.ts";

export type KeyRequest = Pick<ApiKey, "principal" | "scopes" | "note" | "expiresAt">;

/**
 * Makes a key for somebody and keeps its hash. The principal's id and tenant are to be checked before (`nameProblem`);
 * throws what the store throws.
 */
export async function issueKey(
  { principal, scopes, note, expiresAt }: KeyRequest,
  { store, clock }: { readonly store: ApiKeyStore; readonly clock: Clock },
): Promise<IssuedKey> {
  const key = newKey();
  const record: ApiKey = {
    id: clock.newId(),
    hash: hashOfKey(key),
    principal,
    scopes,
    note,
    createdAt: clock.now(),
    expiresAt,
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await store.add(record);
  return { record, key };
}
