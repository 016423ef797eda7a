/** What is sent along with each request to a remote agent. */
import type { UpstreamConfig } from "../config.ts";
import { openAuth } from "./auth.ts";
import { isPassedOn } from "./passed-on.ts";

export type Headers = Readonly<Record<string, string>>;

export interface Credentials {
  /**
   * The headers of one request, by names in lower case: those of its caller that the agent's configuration lets through,
   * then those that are configured, then those that say who the gateway is. Later ones win. Throws UNAVAILABLE when
   * there is no way to say that at the moment.
   */
  headersFor(caller: Headers): Promise<Headers>;
  /** Told of the headers of a request that the agent answered with 401; whether it is worth another try with new ones. */
  refused(sent: Headers): boolean;
}

export interface CredentialsDeps {
  /** What relative paths start from. */
  readonly baseDir: string;
  now(): number;
}

/** Throws a SettingError for credentials that cannot be read. */
export async function openCredentials(
  { headers = {}, auth: settings }: Pick<UpstreamConfig, "headers" | "auth">,
  deps: CredentialsDeps,
): Promise<Credentials> {
  const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const own: Headers = Object.fromEntries(configured);
  const auth = settings === undefined ? undefined : await openAuth(settings, deps);
  return {
    async headersFor(caller) {
      const all: Record<string, string> = {};
      for (const [name, value] of Object.entries(caller)) {
        if (isPassedOn(name, value)) all[name] = value;
      }
      Object.assign(all, own);
      if (auth !== undefined) all[auth.header] = await auth.value();
      return all;
    },
    refused(sent) {
      const value = auth && sent[auth.header];
      return value !== undefined && auth !== undefined && auth.refused(value);
    },
  };
}
