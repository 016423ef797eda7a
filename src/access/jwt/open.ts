/** Makes the authenticators for signed tokens from their settings. */
import { resolve } from "node:path";
import type { Log } from "../../core/ports/log.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { textOfFile } from "../../text-file.ts";
import type { Authenticator } from "../authenticator.ts";
import { answerTo } from "../identity-server.ts";
import { fileText } from "../secret.ts";
import { SettingError } from "../../setting-error.ts";
import type { JwtSettings, OidcSettings } from "../settings.ts";
import { signedTokenAuthenticator } from "./authenticator.ts";
import { keysByDiscovery } from "./discovery.ts";
import { VerificationKeys } from "./verification-keys.ts";

export interface OpenDeps {
  /** Where the settings stand, in errors. */
  readonly path: string;
  readonly baseDir: string;
  readonly log: Log;
  now(): number;
}

/** Throws a SettingError for a file that cannot be read; an address is first asked when a token comes. */
export async function openJwt(settings: JwtSettings, deps: OpenDeps): Promise<Authenticator> {
  const { now, log } = deps;
  const fetch = await keySetAt(settings.jwks, deps);
  const keys = new VerificationKeys({ issuer: settings.issuer, fetch, now, log });
  return signedTokenAuthenticator(settings, { method: "jwt", keys, now });
}

async function keySetAt(
  jwks: string,
  { path, baseDir }: OpenDeps,
): Promise<() => Promise<JsonObject>> {
  if (/^https?:\/\//i.test(jwks)) {
    if (!URL.canParse(jwks)) throw new SettingError(`${path}.jwks`, "expected a URL");
    const url = new URL(jwks);
    return () => answerTo({ url });
  }
  await fileText(jwks, { path: `${path}.jwks`, baseDir });
  const file = resolve(baseDir, jwks);
  return async () => JSON.parse(await textOfFile(file)) as JsonObject;
}

/** Throws a SettingError for an issuer that is no address; it is first asked when a token comes. */
export function openOidc(settings: OidcSettings, { path, now, log }: OpenDeps): Authenticator {
  const { issuer, hosts = [] } = settings;
  if (!/^https?:\/\//i.test(issuer) || !URL.canParse(issuer))
    throw new SettingError(`${path}.issuer`, "expected a URL of http or https");
  const fetch = keysByDiscovery({ issuer, hosts, now });
  const keys = new VerificationKeys({ issuer, fetch, now, log });
  return signedTokenAuthenticator(settings, { method: "oidc", keys, now });
}
