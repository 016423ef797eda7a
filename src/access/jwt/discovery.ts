/** Where an OpenID provider publishes its keys (OpenID Connect Discovery 1.0, 4). */
import type { JsonObject } from "../../protocol/json.ts";
import { answerTo } from "../identity-server.ts";

/** Milliseconds. */
const FRESH = 60 * 60_000;

export interface DiscoveryInput {
  readonly issuer: string;
  /** Where else than at the issuer's own host the keys may be. */
  readonly hosts: readonly string[];
  now(): number;
}

/** The address of an issuer's provider configuration. */
export function configurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

/**
 * Fetches the issuer's key set from where its configuration says, which is asked for once an hour. Throws an Error where
 * the configuration is that of another issuer, or points to a host that is not allowed or to plain http.
 */
export function keysByDiscovery({ issuer, hosts, now }: DiscoveryInput): () => Promise<JsonObject> {
  let known: { readonly url: URL; readonly at: number } | undefined;
  return async () => {
    if (known === undefined || now() - known.at >= FRESH) {
      const configuration = await answerTo({ url: new URL(configurationUrl(issuer)) });
      known = { url: keysUrlIn(configuration, issuer, hosts), at: now() };
    }
    try {
      return await answerTo({ url: known.url });
    } catch (thrown) {
      // They may have moved.
      known = undefined;
      throw thrown;
    }
  };
}

function keysUrlIn(configuration: JsonObject, issuer: string, hosts: readonly string[]): URL {
  const { issuer: named, jwks_uri: keys } = configuration;
  if (named !== issuer) throw new Error(`the configuration is that of ${JSON.stringify(named)}`);
  if (typeof keys !== "string" || !URL.canParse(keys))
    throw new Error("the configuration has no jwks_uri");
  const own = new URL(issuer);
  const url = new URL(keys);
  if (url.host !== own.host && !hosts.includes(url.host))
    throw new Error(`the keys are at ${url.host}, which is not allowed`);
  // Whoever configures an http address means it, for that issuer and no further.
  if (url.protocol !== "https:" && url.protocol !== own.protocol)
    throw new Error(`the keys are at ${url.protocol}, not https:`);
  return url;
}
