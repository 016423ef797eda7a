/** API keys that were looked up, since each call brings one. Whoever changes a key says so here, after the commit. */
import type { ApiKey } from "../../../core/ports/api-key-store.ts";

/** A full cache begins anew: keys that are still used come back with one look each. */
const MOST = 10_000;

export class ApiKeyCache {
  readonly #byHash = new Map<string, ApiKey>();
  readonly #hashes = new Map<string, string>();
  #changes = 0;

  get(hash: string): ApiKey | undefined {
    return this.#byHash.get(hash);
  }

  /** To be called before a key is read; keeps what was read, unless a key was changed since: the read may not have seen it. */
  startFill(): (key: ApiKey) => void {
    const before = this.#changes;
    return (key) => {
      if (this.#changes !== before) return;
      if (this.#byHash.size >= MOST) {
        this.#byHash.clear();
        this.#hashes.clear();
      }
      this.#byHash.set(key.hash, key);
      this.#hashes.set(key.id, key.hash);
    };
  }

  /** What is known of that key is no longer so. */
  evict(id: string): void {
    this.#changes++;
    const hash = this.#hashes.get(id);
    if (hash === undefined) return;
    this.#byHash.delete(hash);
    this.#hashes.delete(id);
  }

  used(id: string, at: number): void {
    this.#changes++;
    const hash = this.#hashes.get(id);
    const key = hash === undefined ? undefined : this.#byHash.get(hash);
    if (key !== undefined) this.#byHash.set(key.hash, { ...key, lastUsedAt: at });
  }
}
