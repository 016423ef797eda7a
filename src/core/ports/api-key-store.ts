/** The API keys that are made while the gateway runs: what is kept of them, and what operators do with them. */

/** Never the key itself. */
export interface ApiKey {
  /** Names the key to operators; it opens nothing. */
  readonly id: string;
  /** SHA-256 of the key, 64 hexadecimal digits in lower case; no two keys share one. */
  readonly hash: string;
  /** Whoever comes with the key; the tenant is empty for none. */
  readonly principal: { readonly id: string; readonly tenant: string };
  readonly scopes: readonly string[];
  /** What operators wrote down of it. */
  readonly note: string | undefined;
  /** Milliseconds since the epoch, as all instants here. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** To the minute. */
  readonly lastUsedAt: number | undefined;
}

export interface ApiKeyStore {
  /** Keeps a new key, as committed once it resolves. Throws for an id or a hash that is there. */
  add(key: ApiKey): Promise<void>;
  /** The key of that hash, expired and revoked ones included; sees every change that resolved before the call. */
  find(hash: string): Promise<ApiKey | undefined>;
  /** All keys, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Ends a key at that instant unless it has been ended before; false when there is none of that id. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Notes that a key was used at that instant: seen at once, kept within seconds or when the store closes. */
  used(id: string, at: number): Promise<void>;
}

/** What somebody wants a key to be. */
export interface ApiKeyRequest {
  readonly principal: ApiKey["principal"];
  readonly scopes: readonly string[];
  readonly note: string | undefined;
  /** When the key ends by itself, in milliseconds: at an instant, or so long from now; undefined for never. */
  readonly expiry: { readonly at: number } | { readonly in: number } | undefined;
}

export interface IssuedKey {
  readonly record: ApiKey;
  /** To be shown to whoever asked for it, now: nobody can tell it again. */
  readonly key: string;
}

/** What operators do with keys. */
export interface ApiKeyControl {
  /** Why a key would open nothing, in words for operators; undefined where callers may bring one. */
  readonly unusable: string | undefined;
  /** All keys, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Makes a key. Throws INVALID_PARAMS, with the path of each member, for names that nobody can have and an expiry that has passed. */
  issue(request: ApiKeyRequest): Promise<IssuedKey>;
  /** Ends a key now unless it has been ended before; false when there is none of that id. */
  revoke(id: string): Promise<boolean>;
}
