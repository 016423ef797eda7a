/** How callers are let in, as a card says it, in lines for people. */
import type { AgentCard, SecurityScheme } from "../protocol/agent-card.ts";
import { textMember } from "./client/remote-error.ts";
import { plainWord } from "./plain-text.ts";

/** One line for each requirement, any of which will do; none where the card asks for nothing. */
export function securityLines({
  securitySchemes = {},
  securityRequirements = [],
}: AgentCard): readonly string[] {
  return securityRequirements.map(({ schemes = {} }) => {
    const ways = Object.keys(schemes).map((name) => {
      const scheme = Object.hasOwn(securitySchemes, name) ? securitySchemes[name] : undefined;
      return plainWord(`${name}: ${wayOf(scheme)}`);
    });
    return ways.join(" and ") || "nothing";
  });
}

function wayOf(scheme: SecurityScheme | undefined): string {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http } = scheme ?? {};
  if (key !== undefined)
    return `${textMember(key, "location") ?? ""} ${textMember(key, "name") ?? ""}`;
  if (http !== undefined) return `Authorization ${textMember(http, "scheme") ?? ""}`;
  if (scheme?.openIdConnectSecurityScheme !== undefined)
    return `OpenID Connect ${textMember(scheme.openIdConnectSecurityScheme, "openIdConnectUrl") ?? ""}`;
  if (scheme?.oauth2SecurityScheme !== undefined) return "OAuth 2.0";
  if (scheme?.mtlsSecurityScheme !== undefined) return "client certificate";
  return "unknown";
}
