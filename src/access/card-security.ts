/** What the card says of how callers are let in (spec 4.5). */
import type { SecurityRequirement, SecurityScheme } from "../protocol/agent-card.ts";
import { configurationUrl } from "./jwt/discovery.ts";
import type { AccessSettings, AuthenticatorSettings } from "./settings.ts";

export interface CardSecurity {
  readonly securitySchemes?: { readonly [name: string]: SecurityScheme };
  /** Any one of them will do; an empty one stands for callers without credentials. */
  readonly securityRequirements?: readonly SecurityRequirement[];
}

/** Nothing where nobody is asked. */
export function cardSecurityOf({ mode, authenticators }: AccessSettings): CardSecurity {
  if (mode === "off") return {};
  const securitySchemes: Record<string, SecurityScheme> = {};
  for (const settings of authenticators) {
    const scheme = schemeOf(settings);
    // Introspection and tokens of several issuers may look alike to a caller.
    if (Object.values(securitySchemes).some((known) => isSame(known, scheme))) continue;
    securitySchemes[freeName(Object.keys(settings).join(), securitySchemes)] = scheme;
  }
  const requirements: SecurityRequirement[] = Object.keys(securitySchemes).map((name) => ({
    schemes: { [name]: { list: [] } },
  }));
  if (mode === "optional") requirements.push({ schemes: {} });
  return { securitySchemes, securityRequirements: requirements };
}

function schemeOf(settings: AuthenticatorSettings): SecurityScheme {
  if ("apiKey" in settings) {
    const { in: location, name } = settings.apiKey;
    return { apiKeySecurityScheme: { location, name } };
  }
  if ("basic" in settings) return { httpAuthSecurityScheme: { scheme: "Basic" } };
  if ("jwt" in settings)
    return { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } };
  if ("oidc" in settings) {
    const openIdConnectUrl = configurationUrl(settings.oidc.issuer);
    return { openIdConnectSecurityScheme: { openIdConnectUrl } };
  }
  if ("introspection" in settings) return { httpAuthSecurityScheme: { scheme: "Bearer" } };
  return { mtlsSecurityScheme: {} };
}

function isSame(one: SecurityScheme, other: SecurityScheme): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `oidc`, then `oidc2`. */
function freeName(kind: string, taken: Readonly<Record<string, unknown>>): string {
  let name = kind;
  for (let number = 2; name in taken; number++) name = `${kind}${number}`;
  return name;
}
