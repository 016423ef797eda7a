/** What a token that is known to be good says of whoever brings it. */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { Certificate } from "../certificate.ts";
import { claimOf } from "../claim.ts";
import { isJsonObject } from "../json.ts";
import type { Method, Principal } from "../../protocol/principal.ts";
import { nameProblem } from "../principal.ts";
import { BadCredentials } from "../refusal.ts";
import type { TokenSettings } from "../settings.ts";

export type ClaimRules = Pick<
  TokenSettings,
  "subjectClaim" | "tenant" | "tenantClaim" | "scopesClaim"
>;

const SCOPE_CLAIMS = ["scope", "scp", "roles"];

/**
 * Throws BadCredentials for a token that names nobody, or no tenant where one is expected: whoever brings it would share
 * what is theirs with all others of the kind.
 */
export function principalOf(claims: JsonObject, rules: ClaimRules, method: Method): Principal {
  const { subjectClaim = "sub", tenant = "", tenantClaim, scopesClaim } = rules;
  const scopeClaims = scopesClaim === undefined ? SCOPE_CLAIMS : [scopesClaim];
  return {
    id: nameIn(claims, subjectClaim, "subject"),
    tenant: tenantClaim === undefined ? tenant : nameIn(claims, tenantClaim, "tenant"),
    scopes: new Set(scopeClaims.flatMap((name) => scopesIn(claimOf(claims, name)))),
    claims,
    method,
  };
}

function nameIn(claims: JsonObject, claim: string, what: string): string {
  const name = claimOf(claims, claim);
  if (typeof name !== "string" || nameProblem(name) !== undefined)
    throw new BadCredentials(`the bearer token names no ${what}`);
  return name;
}

/** A list, or a text with spaces (RFC 8693, 4.2). */
function scopesIn(value: JsonValue | undefined): readonly string[] {
  const list: readonly JsonValue[] =
    typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];
  return list.filter((scope) => typeof scope === "string").filter((scope) => scope !== "");
}

/**
 * Throws BadCredentials for a token that is bound to a key which this caller has not shown to have: it may have been
 * stolen. Of the ways to show it only the client certificate is known here (RFC 8705, 3.1).
 */
export function checkBinding(claims: JsonObject, certificate: Certificate | undefined): void {
  const confirmation = claims["cnf"];
  if (confirmation === undefined) return;
  const thumbprint = isJsonObject(confirmation) ? confirmation["x5t#S256"] : undefined;
  const isOnly = isJsonObject(confirmation) && Object.keys(confirmation).length === 1;
  if (!isOnly || thumbprint === undefined || thumbprint !== certificate?.thumbprint)
    throw new BadCredentials("the bearer token is bound to another key");
}
