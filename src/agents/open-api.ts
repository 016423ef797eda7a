/** The description of an agent's HTTP+JSON doors: what its card says of it, and what its versions have there. */
import type { AgentCard, AgentInterface } from "../protocol/agent-card.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Dialect } from "../wire/dialect.ts";
import { restDescriptionOf, type RestDescription } from "../wire/open-api.ts";
import { legacySchemeOf, legacySecurityOf } from "../wire/v0_3/security.ts";

/** Takes an agent's card and where it is served to its OpenAPI document. */
export type OpenApiOf = (card: AgentCard, interfaces: readonly AgentInterface[]) => JsonObject;

/** The paths are described once for each set of versions that agents offer. */
export function openApisOf(dialects: readonly Dialect[]): OpenApiOf {
  const described = new Map<string, RestDescription>();
  const descriptionOf = (offered: readonly Dialect[]): RestDescription => {
    const key = offered.map(({ version }) => version).join(" ");
    const known = described.get(key) ?? restDescriptionOf(offered);
    described.set(key, known);
    return known;
  };
  return (card, interfaces) => {
    const doors = interfaces.filter(({ protocolBinding }) => protocolBinding === "HTTP+JSON");
    const versions = new Set(doors.map(({ protocolVersion }) => protocolVersion));
    const { paths, schemas } = descriptionOf(
      dialects.filter(({ version }) => versions.has(version)),
    );
    const { name, description, version, securityRequirements } = card;
    return {
      openapi: "3.1.0",
      info: { title: name, description, version },
      servers: [...new Set(doors.map(({ url }) => url))].map((url) => ({ url })),
      ...(securityRequirements && { security: securityRequirements.map(legacySecurityOf) }),
      paths,
      components: { schemas, ...securitySchemesOf(card) },
    };
  };
}

/** OpenAPI has the schemes as 0.3 took them over. */
function securitySchemesOf({ securitySchemes }: AgentCard): JsonObject {
  if (securitySchemes === undefined) return {};
  const schemes = Object.entries(securitySchemes).flatMap(([name, scheme]) => {
    const legacy = legacySchemeOf(scheme);
    return legacy === undefined ? [] : [[name, legacy] as const];
  });
  return { securitySchemes: Object.fromEntries(schemes) };
}
