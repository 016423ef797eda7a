/** Access, put together: who calls, what they may do and how much of it, and what cards and the catalogue say of that. */
import { apiKeyControl } from "./access/api-key/control.ts";
import { cardSecurityOf, type CardSecurity } from "./access/card-security.ts";
import { certificateOf } from "./access/certificate.ts";
import { CountedCalls } from "./access/limits/call-limits.ts";
import { openPolicy } from "./access/policy/policy.ts";
import type { Catalogue } from "./agents/catalogue.ts";
import { accessCautions } from "./cautions.ts";
import type { Config } from "./config/config.ts";
import { accessSettingsOf, openConfiguredAccess } from "./config/open-access.ts";
import type { ApiKeyControl, ApiKeyStore } from "./core/ports/api-key-store.ts";
import type { Audit } from "./core/ports/audit.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { Log } from "./core/ports/log.ts";
import type { Policy } from "./core/ports/policy.ts";
import type { AdminAccess } from "./ops/admin/ports.ts";
import type { CatalogueSource } from "./transports/http/catalogue.ts";
import type { Authenticate, Credentials } from "./transports/request.ts";

export interface GateParts {
  readonly config: Config;
  /** The keys that are made at run time. */
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: nobody writes down who was refused. */
  readonly audit: Audit | undefined;
}

/** What a request brings, be it to the doors or to the Admin API, which does not say what was asked for. */
type Brought = Omit<Credentials, "asked"> & Partial<Pick<Credentials, "asked">>;

export interface Gate {
  /** Undefined where nobody is asked who they are. */
  readonly authenticate: Authenticate | undefined;
  /** Undefined where everybody may do everything. */
  readonly policy: Policy | undefined;
  /** Counts who asks how much. */
  readonly limits: CountedCalls;
  /** What cards say of how callers are let in. */
  readonly security: CardSecurity;
  /** Callers that may use the Admin API too; undefined: none. */
  readonly callers: AdminAccess["callers"];
  /** What operators do with keys, also where nobody is asked for one. */
  readonly keys: ApiKeyControl;
}

/** Throws a ConfigError for settings that cannot be used. */
export async function openGate(parts: GateParts): Promise<Gate> {
  const { config, clock, log } = parts;
  const limits = new CountedCalls(config.limits.calls, { log, now: () => clock.now() });
  return { ...(await openAsking(parts)), limits };
}

async function openAsking({
  config,
  apiKeys,
  clock,
  log,
  audit,
}: GateParts): Promise<Omit<Gate, "limits">> {
  const settings = accessSettingsOf(config);
  const security = cardSecurityOf(settings);
  const keys = apiKeyControl(settings, { store: apiKeys, clock, log });
  for (const { text, ...fields } of accessCautions(config)) log.warn(fields, text);
  if (settings.mode === "off")
    return { authenticate: undefined, policy: undefined, security, callers: undefined, keys };
  const access = await openConfiguredAccess(config, { apiKeys, clock, log, audit });
  // Member by member: to spread the rest of an object costs as much as to know a token again.
  const authenticate = ({
    headers,
    query,
    certificate,
    address,
    asked,
  }: Brought): ReturnType<Authenticate> =>
    access.authenticate({
      headers,
      query,
      certificate: certificate && certificateOf(certificate),
      address,
      asked,
    });
  const { adminScope: scope, policies } = config.access;
  const callers = scope === undefined ? undefined : { authenticate, scope };
  return { authenticate, policy: openPolicy(policies), security, callers, keys };
}

/**
 * The catalogue as each caller may see it. Where callers are asked who they are, whoever may do nothing with an agent
 * is not told of it.
 */
export function shownBy(
  { authenticate, policy }: Pick<Gate, "authenticate" | "policy">,
  catalogue: Catalogue,
): CatalogueSource {
  if (authenticate === undefined) return (request) => catalogue(request);
  return async (request) => {
    const principal = await authenticate(request.credentials());
    const shown = catalogue(request, policy && ((agent) => policy.sees(principal, agent)));
    return { ...shown, isPrivate: true };
  };
}
