/** What every store of API keys must do, whatever it keeps them in. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { ApiKey, ApiKeyStore } from "../../src/core/ports/api-key-store.ts";

/** A store and what it is opened in. */
export interface OpenedApiKeys {
  readonly apiKeys: ApiKeyStore;
  close(): Promise<void>;
}

export function apiKeyStoreContract(name: string, open: () => Promise<OpenedApiKeys>): void {
  describe(`${name} keeps the contract of a store of API keys`, () => {
    let store: ApiKeyStore;
    let opened: OpenedApiKeys;
    beforeEach(async () => {
      opened = await open();
      store = opened.apiKeys;
    });
    afterEach(() => opened.close());

    test("finds a key by its hash, as it was added", async () => {
      const bare = apiKey("bare");
      const full = apiKey("full", {
        principal: { id: "alice", tenant: "acme" },
        scopes: ["send", 'quote " and \\ and \u2028'],
        note: "of the build server",
        expiresAt: 9000,
        revokedAt: 8000,
        lastUsedAt: 7000,
      });
      assert.equal(await store.find(bare.hash), undefined);
      for (const key of [bare, full]) await store.add(key);
      for (const key of [bare, full, bare, full]) assert.deepEqual(await store.find(key.hash), key);
      assert.equal(await store.find(hashOf("other")), undefined);
      assert.equal(await store.find(full.hash.toUpperCase()), undefined);
      assert.equal(await store.find("%"), undefined);
    });

    test("lists keys in the order in which they were added", async () => {
      assert.deepEqual(await store.list(), []);
      const keys = ["zoe", "ann", "mia"].map((id) => apiKey(id));
      for (const key of keys) await store.add(key);
      assert.deepEqual(await store.list(), keys);
    });

    test("refuses a second key of an id or a hash", async () => {
      const key = apiKey("ann");
      await store.add(key);
      await assert.rejects(store.add({ ...apiKey("zoe"), id: "ann" }));
      await assert.rejects(store.add({ ...apiKey("zoe"), hash: key.hash }));
      assert.deepEqual(await store.list(), [key]);
    });

    test("ends a key once, at the first instant", async () => {
      const [ann, zoe] = [apiKey("ann"), apiKey("zoe")];
      for (const key of [ann, zoe]) await store.add(key);
      await store.find(ann.hash);
      assert.equal(await store.revoke("ann", 6000), true);
      assert.equal((await store.find(ann.hash))?.revokedAt, 6000);
      assert.equal(await store.revoke("ann", 7000), true);
      assert.equal((await store.find(ann.hash))?.revokedAt, 6000);
      assert.equal(await store.revoke("nobody", 6000), false);
      assert.deepEqual(await store.list(), [{ ...ann, revokedAt: 6000 }, zoe]);
    });

    test("shows no key as it was before a change that is done, however many look at once", async () => {
      for (let round = 0; round < 20; round++) {
        const key = apiKey(`round-${round}`);
        await store.add(key);
        const looks = Array.from({ length: 5 }, () => store.find(key.hash));
        await store.revoke(key.id, 6000);
        assert.equal((await store.find(key.hash))?.revokedAt, 6000);
        await Promise.all(looks);
        assert.equal((await store.find(key.hash))?.revokedAt, 6000);
      }
    });

    test("shows the last use of a key at once", async () => {
      const [ann, zoe] = [apiKey("ann"), apiKey("zoe")];
      for (const key of [ann, zoe]) await store.add(key);
      await store.find(ann.hash);
      for (const id of ["ann", "zoe", "nobody"]) await store.used(id, 6000);
      await store.used("ann", 7000);
      assert.equal((await store.find(ann.hash))?.lastUsedAt, 7000);
      assert.equal((await store.find(zoe.hash))?.lastUsedAt, 6000);
      assert.deepEqual(await store.list(), [
        { ...ann, lastUsedAt: 7000 },
        { ...zoe, lastUsedAt: 6000 },
      ]);
    });
  });
}

export function apiKey(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    hash: hashOf(id),
    principal: { id, tenant: "" },
    scopes: [],
    note: undefined,
    createdAt: 5000,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
    ...changes,
  };
}

function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}
