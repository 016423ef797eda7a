/** What operators do with the API keys that are made at run time. */
import type { ApiKeyControl, ApiKeyRequest, ApiKeyStore } from "../../core/ports/api-key-store.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { invalidParams, type FieldViolation } from "../../protocol/errors.ts";
import { nameProblem } from "../principal.ts";
import type { AccessSettings } from "../settings.ts";
import { issueKey } from "./issue.ts";

export interface ControlDeps {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function apiKeyControl(settings: AccessSettings, deps: ControlDeps): ApiKeyControl {
  const { store, clock, log } = deps;
  return {
    unusable: whyUnusable(settings),
    list: () => store.list(),
    async issue(request) {
      const expiresAt = expiresAtOf(request, clock.now());
      checkRequest(request, expiresAt, clock.now());
      const { principal, note } = request;
      const scopes = [...new Set(request.scopes)];
      const issued = await issueKey({ principal, scopes, note, expiresAt }, deps);
      log.info({ key: issued.record.id, principal, scopes, expiresAt }, "api key made");
      return issued;
    },
    revoke: (id) => store.revoke(id, clock.now()),
  };
}

function whyUnusable({ mode, authenticators }: AccessSettings): string | undefined {
  if (mode === "off") return "nobody is asked for an api key: access.mode is off";
  if (authenticators.some((each) => "apiKey" in each)) return undefined;
  return "nobody is asked for an api key: access.authenticators has no apiKey";
}

function expiresAtOf({ expiry }: ApiKeyRequest, now: number): number | undefined {
  if (expiry === undefined) return undefined;
  return "at" in expiry ? expiry.at : now + expiry.in;
}

/** Everything that is wrong is named at once. */
function checkRequest(
  { principal, scopes, note }: ApiKeyRequest,
  expiresAt: number | undefined,
  now: number,
): void {
  const named: readonly (readonly [field: string, problem: string | undefined])[] = [
    ["principal.id", nameProblem(principal.id)],
    ["principal.tenant", principal.tenant === "" ? undefined : nameProblem(principal.tenant)],
    ...scopes.map((scope, index) => [`scopes[${index}]`, nameProblem(scope)] as const),
    ["note", note === undefined ? undefined : nameProblem(note)],
    ["expiresAt", expiresAt === undefined || expiresAt > now ? undefined : "expected a later one"],
  ];
  const violations = named.flatMap(([field, description]): readonly FieldViolation[] =>
    description === undefined ? [] : [{ field, description }],
  );
  if (violations.length > 0) throw invalidParams(violations);
}
