/** Security schemes and requirements of a card: by member name in 1.0 (spec 4.5), by `type` in 0.3 (spec 0.3, 5.5.3). */
import type { SecurityRequirement, SecurityScheme } from "../../protocol/agent-card.ts";
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../schema/objects.ts";
import { objectOf, someText, textOf, textsOf, type CardMembers } from "./card-fields.ts";

/** Its other members are those of the scheme in OpenAPI 3.0. */
export interface LegacySecurityScheme {
  readonly type: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mutualTLS";
  readonly [member: string]: JsonValue;
}

/** Scopes by the name of the scheme. */
export type LegacySecurity = { readonly [scheme: string]: readonly string[] };

/** Undefined for a scheme of a kind that 0.3 does not have. */
export function legacySchemeOf(scheme: SecurityScheme): LegacySecurityScheme | undefined {
  const { apiKeySecurityScheme: apiKey, oauth2SecurityScheme: oauth2 } = scheme;
  if (apiKey !== undefined) {
    const { location = "", ...rest } = apiKey;
    return { ...rest, type: "apiKey", in: location };
  }
  if (oauth2 !== undefined)
    return { ...oauth2, type: "oauth2", flows: legacyFlowsOf(oauth2["flows"]) };
  if (scheme.httpAuthSecurityScheme !== undefined)
    return { ...scheme.httpAuthSecurityScheme, type: "http" };
  if (scheme.openIdConnectSecurityScheme !== undefined)
    return { ...scheme.openIdConnectSecurityScheme, type: "openIdConnect" };
  if (scheme.mtlsSecurityScheme !== undefined)
    return { ...scheme.mtlsSecurityScheme, type: "mutualTLS" };
  return undefined;
}

/** Undefined for something that is no scheme of 0.3. Members that 0.3 does not know are left out. */
export function schemeOf(legacy: unknown): SecurityScheme | undefined {
  const scheme = objectOf(legacy);
  const description = someText(scheme, "description");
  switch (textOf(scheme["type"])) {
    case "apiKey": {
      const [location, name] = [textOf(scheme["in"]), textOf(scheme["name"])];
      return { apiKeySecurityScheme: { ...description, location, name } };
    }
    case "http": {
      const rest = someText(scheme, "bearerFormat");
      return {
        httpAuthSecurityScheme: { ...description, scheme: textOf(scheme["scheme"]), ...rest },
      };
    }
    case "oauth2": {
      const rest = someText(scheme, "oauth2MetadataUrl");
      return { oauth2SecurityScheme: { ...description, flows: flowOf(scheme["flows"]), ...rest } };
    }
    case "openIdConnect": {
      const openIdConnectUrl = textOf(scheme["openIdConnectUrl"]);
      return { openIdConnectSecurityScheme: { ...description, openIdConnectUrl } };
    }
    case "mutualTLS":
      return { mtlsSecurityScheme: { ...description } };
    default:
      return undefined;
  }
}

/** The flows of 0.3, the ones first that keep secrets best: 1.0 has one per scheme, and takes the first. */
const FLOWS = ["authorizationCode", "clientCredentials", "implicit", "password"];

function legacyFlowsOf(flows: unknown): JsonObject {
  return Object.fromEntries(
    knownFlows(flows).map(([name, { pkceRequired: _, ...flow }]) => [name, flow]),
  );
}

function flowOf(flows: unknown): JsonObject {
  return Object.fromEntries(knownFlows(flows).slice(0, 1));
}

function knownFlows(flows: unknown): readonly (readonly [string, JsonObject])[] {
  const given = objectOf(flows);
  return FLOWS.flatMap((name) => {
    const flow = given[name];
    return isObject(flow) ? [[name, flow as JsonObject] as const] : [];
  });
}

export function legacySecurityOf({ schemes = {} }: SecurityRequirement): LegacySecurity {
  return Object.fromEntries(
    Object.entries(schemes).map(([scheme, { list = [] }]) => [scheme, list]),
  );
}

export function requirementOf(security: unknown): SecurityRequirement {
  const schemes = Object.entries(objectOf(security)).map(([scheme, scopes]) => {
    const list = textsOf(scopes);
    return [scheme, list.length === 0 ? {} : { list }] as const;
  });
  return { schemes: Object.fromEntries(schemes) };
}

/**
 * A hybrid with its requirements in the form of 1.0 too, as readers of 1.0 make them of those of 0.3, which it has alone.
 * Any other card as it is.
 */
export function withRequirements(card: CardMembers): CardMembers {
  const { protocolVersion, supportedInterfaces, skills } = card;
  if (protocolVersion === undefined || supportedInterfaces === undefined) return card;
  return {
    ...withOwnRequirements(card),
    ...(skills !== undefined && { skills: skillsOf(skills) }),
  };
}

function skillsOf(skills: unknown): unknown {
  return Array.isArray(skills)
    ? skills.map((skill) => (isObject(skill) ? withOwnRequirements(skill) : skill))
    : skills;
}

function withOwnRequirements(members: CardMembers): CardMembers {
  const { security, securityRequirements } = members;
  if (securityRequirements !== undefined || !Array.isArray(security)) return members;
  return { ...members, securityRequirements: security.map(requirementOf) };
}
