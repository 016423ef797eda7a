/** API keys in memory: what a store of them must do, and nothing more. */
import type { ApiKey, ApiKeyStore } from "../../../src/core/ports/api-key-store.ts";

export class MemoryKeyStore implements ApiKeyStore {
  readonly #keys = new Map<string, ApiKey>();

  async add(key: ApiKey): Promise<void> {
    this.#keys.set(key.id, key);
  }

  async find(hash: string): Promise<ApiKey | undefined> {
    return [...this.#keys.values()].find((key) => key.hash === hash);
  }

  async list(): Promise<readonly ApiKey[]> {
    return [...this.#keys.values()];
  }

  async revoke(id: string, at: number): Promise<boolean> {
    const key = this.#keys.get(id);
    if (key === undefined) return false;
    this.#keys.set(id, { ...key, revokedAt: key.revokedAt ?? at });
    return true;
  }

  async used(id: string, at: number): Promise<void> {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#keys.set(id, { ...key, lastUsedAt: at });
  }
}
