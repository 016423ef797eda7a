/** Callers that bring an API key, from the configuration or made at run time. */
import { timingSafeEqual } from "node:crypto";
import type { ApiKey, ApiKeyStore } from "../../core/ports/api-key-store.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Authenticator } from "../authenticator.ts";
import { cookieOf, type Credentials } from "../credentials.ts";
import type { LoginGuard } from "../login-guard.ts";
import type { Principal } from "../../protocol/principal.ts";
import { BadCredentials } from "../refusal.ts";
import type { ApiKeySettings } from "../settings.ts";
import { hashOfKey, isDamaged } from "./key.ts";

/** How exactly the last use of a key is known, in milliseconds: not every call writes. */
const USE_NOTED_EVERY = 60_000;

export interface ApiKeyDeps {
  readonly staticKeys: ReadonlyMap<string, Principal>;
  /** The keys that were made at run time; undefined where there are none. */
  readonly store: ApiKeyStore | undefined;
  readonly guard: LoginGuard;
  readonly log: Log;
  now(): number;
}

export function apiKeyAuthenticator(settings: ApiKeySettings, deps: ApiKeyDeps): Authenticator {
  const { staticKeys, guard } = deps;
  return {
    method: "apiKey",
    challenge: { scheme: "ApiKey", parameters: { in: settings.in, name: settings.name } },
    async authenticate(credentials) {
      const key = keyIn(credentials, settings);
      if (key === undefined) return undefined;
      const { address } = credentials;
      const hash = hashOfKey(key);
      guard.check({ address, name: hash });
      const found = isDamaged(key)
        ? undefined
        : (staticKeys.get(hash) ?? (await keptPrincipal(hash, deps)));
      if (found === undefined) {
        guard.failed({ address, name: undefined });
        throw new BadCredentials("the api key is not valid");
      }
      guard.succeeded({ address, name: hash });
      return found;
    },
  };
}

/** An empty value counts as a key, which is wrong: whoever sends one does not want to be anonymous. */
function keyIn(credentials: Credentials, settings: ApiKeySettings): string | undefined {
  switch (settings.in) {
    case "header":
      return credentials.headers[settings.name.toLowerCase()];
    case "query":
      return credentials.query.get(settings.name) ?? undefined;
    case "cookie":
      return cookieOf(credentials, settings.name);
  }
}

async function keptPrincipal(hash: string, deps: ApiKeyDeps): Promise<Principal | undefined> {
  const kept = await deps.store?.find(hash);
  if (kept === undefined || !isEqual(kept.hash, hash)) return undefined;
  const now = deps.now();
  if (kept.revokedAt !== undefined && kept.revokedAt <= now) return undefined;
  if (kept.expiresAt !== undefined && kept.expiresAt <= now) return undefined;
  if (now - (kept.lastUsedAt ?? 0) >= USE_NOTED_EVERY) void noteUse(kept, deps);
  return { ...kept.principal, scopes: new Set(kept.scopes), claims: {}, method: "apiKey" };
}

/** However a store compares texts, and whatever it matches. */
function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Nobody waits for it, and a call does not fail for it. */
async function noteUse({ id }: ApiKey, { store, log, now }: ApiKeyDeps): Promise<void> {
  try {
    await store?.used(id, now());
  } catch (err) {
    log.warn({ key: id, err }, "use of an api key not noted");
  }
}
