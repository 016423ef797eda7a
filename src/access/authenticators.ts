/** Makes the authenticators from their settings, and refuses those that make no sense together. */
import type { ApiKeyStore } from "../core/ports/api-key-store.ts";
import type { Log } from "../core/ports/log.ts";
import { apiKeyAuthenticator } from "./api-key/authenticator.ts";
import { openStaticKeys } from "./api-key/static-keys.ts";
import type { Authenticator } from "./authenticator.ts";
import { basicAuthenticator } from "./basic/authenticator.ts";
import { introspectionAuthenticator } from "./introspection/authenticator.ts";
import { Introspector } from "./introspection/introspector.ts";
import { openJwt, openOidc } from "./jwt/open.ts";
import { LoginGuard } from "./login-guard.ts";
import { mtlsAuthenticator } from "./mtls/authenticator.ts";
import { checkTenant } from "./principal.ts";
import { secretText } from "./secret.ts";
import { SettingError } from "../setting-error.ts";
import type { AuthenticatorSettings, IntrospectionSettings, TokenSettings } from "./settings.ts";

export interface AuthenticatorDeps {
  /** What relative paths start from. */
  readonly baseDir: string;
  /** The API keys that are made at run time; undefined where there are none. */
  readonly apiKeys: ApiKeyStore | undefined;
  readonly log: Log;
  now(): number;
}

interface Opening extends AuthenticatorDeps {
  readonly guard: LoginGuard;
  /** Where the settings of the authenticator stand, in errors. */
  readonly path: string;
}

/** In the order of the settings. Throws a SettingError for settings that cannot be used. */
export async function openAuthenticators(
  all: readonly AuthenticatorSettings[],
  deps: AuthenticatorDeps,
): Promise<readonly Authenticator[]> {
  const guard = new LoginGuard(() => deps.now());
  const opened: Authenticator[] = [];
  const claimed = new Set<string>();
  const tenants = new Set<string>();
  for (const [index, settings] of all.entries()) {
    const path = `authenticators[${index}]`;
    const claim = claimOf(settings);
    if (claimed.has(claim))
      throw new SettingError(path, "expected other credentials than an authenticator before");
    claimed.add(claim);
    checkTenants(tenantOf(settings), { path, tenants });
    opened.push(await openOne(settings, { ...deps, guard, path }));
  }
  return opened;
}

async function openOne(settings: AuthenticatorSettings, opening: Opening): Promise<Authenticator> {
  const { guard, log, now } = opening;
  if ("apiKey" in settings) {
    const { keys = [] } = settings.apiKey;
    const place = { path: `${opening.path}.apiKey.keys`, baseDir: opening.baseDir };
    const staticKeys = await openStaticKeys(keys, place);
    const store = opening.apiKeys;
    return apiKeyAuthenticator(settings.apiKey, { staticKeys, store, guard, log, now });
  }
  if ("basic" in settings)
    return basicAuthenticator(settings.basic, { path: `${opening.path}.basic`, guard, now });
  if ("jwt" in settings) return openJwt(settings.jwt, { ...opening, path: `${opening.path}.jwt` });
  if ("oidc" in settings)
    return openOidc(settings.oidc, { ...opening, path: `${opening.path}.oidc` });
  if ("introspection" in settings) return openIntrospection(settings.introspection, opening);
  return mtlsAuthenticator(settings.mtls, `${opening.path}.mtls`);
}

async function openIntrospection(
  settings: IntrospectionSettings,
  { path, baseDir, log, now }: Opening,
): Promise<Authenticator> {
  const at = `${path}.introspection`;
  const { url, clientId, cacheFor } = settings;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new SettingError(`${at}.url`, "expected a URL of http or https");
  const place = { path: `${at}.clientSecret`, baseDir };
  const clientSecret = await secretText(settings.clientSecret, place);
  const asking = { url: new URL(url), clientId, clientSecret, cacheFor, log, now };
  return introspectionAuthenticator(settings, { introspector: new Introspector(asking), now });
}

/** The credentials that an authenticator keeps from those after it. */
function claimOf(settings: AuthenticatorSettings): string {
  if ("apiKey" in settings) {
    const { in: place, name } = settings.apiKey;
    return `${place} ${place === "header" ? name.toLowerCase() : name}`;
  }
  if ("jwt" in settings) return `token of ${settings.jwt.issuer}`;
  if ("oidc" in settings) return `token of ${settings.oidc.issuer}`;
  return Object.keys(settings).join();
}

function tenantOf(settings: AuthenticatorSettings): TokenTenant | undefined {
  if ("jwt" in settings) return { kind: "jwt", ...settings.jwt };
  if ("oidc" in settings) return { kind: "oidc", ...settings.oidc };
  if ("introspection" in settings) return { kind: "introspection", ...settings.introspection };
  return undefined;
}

type TokenTenant = Pick<TokenSettings, "tenant" | "tenantClaim"> & { readonly kind: string };

/**
 * A subject is unique with its issuer only: two issuers whose callers were in one tenant could name each other's. Where
 * the tenant is in the token, whoever configures it trusts the issuer with all of them.
 */
function checkTenants(
  settings: TokenTenant | undefined,
  { path, tenants }: { readonly path: string; readonly tenants: Set<string> },
): void {
  if (settings === undefined) return;
  const { kind, tenant = "", tenantClaim } = settings;
  const at = `${path}.${kind}.tenant`;
  checkTenant(tenant, at);
  if (tenantClaim !== undefined) {
    if (tenant !== "") throw new SettingError(at, "expected only without tenantClaim");
    return;
  }
  if (tenants.has(tenant))
    throw new SettingError(at, "expected another tenant than that of an issuer before");
  tenants.add(tenant);
}
