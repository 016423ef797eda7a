/** Whether a policy is about somebody. */
import type { JsonValue } from "../../protocol/json.ts";
import type { Principal } from "../../protocol/principal.ts";
import { claimOf } from "../claim.ts";
import type { ClaimValue, WhoSettings } from "./settings.ts";

export type IsAbout = (principal: Principal) => boolean;

/** Callers without credentials are meant only where they are named: they have no id, no tenant and no claims. */
export function whoOf({ anonymous, ...named }: WhoSettings): IsAbout {
  if (anonymous === true) return isAnonymous;
  const conditions = conditionsOf(named);
  return (principal) => !isAnonymous(principal) && conditions.every((holds) => holds(principal));
}

function isAnonymous({ method }: Principal): boolean {
  return method === "anonymous";
}

function conditionsOf(settings: Omit<WhoSettings, "anonymous">): readonly IsAbout[] {
  const { principals, tenants, scopes, claims = {} } = settings;
  const conditions: IsAbout[] = [];
  if (principals !== undefined) {
    const ids = new Set(principals);
    conditions.push(({ id }) => ids.has(id));
  }
  // An id means nothing without its tenant: in another one somebody else may have it.
  const within = tenants ?? (principals && [""]);
  if (within !== undefined) {
    const named = new Set(within);
    conditions.push(({ tenant }) => named.has(tenant));
  }
  if (scopes !== undefined)
    conditions.push(({ scopes: given }) => scopes.every((scope) => given.has(scope)));
  for (const [path, values] of Object.entries(claims)) conditions.push(claimTest(path, values));
  return conditions;
}

function claimTest(path: string, values: ClaimValue | readonly ClaimValue[]): IsAbout {
  const wanted = new Set<JsonValue>(typeof values === "object" ? values : [values]);
  return ({ claims }) => {
    const value = claimOf(claims, path);
    if (Array.isArray(value)) return value.some((each) => wanted.has(each));
    return value !== undefined && wanted.has(value);
  };
}
