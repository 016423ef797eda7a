/** The card as 0.3 has it (spec 0.3, 5.5), made from the card of 1.0. */
import type {
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
} from "../../protocol/agent-card.ts";
import {
  legacySchemeOf,
  legacySecurityOf,
  type LegacySecurity,
  type LegacySecurityScheme,
} from "./security.ts";

export interface LegacyAgentInterface {
  readonly url: string;
  readonly transport: string;
}

export interface LegacyAgentExtension extends AgentExtension {
  readonly uri: string;
}

export interface LegacyAgentSkill extends Omit<AgentSkill, "securityRequirements"> {
  readonly security?: readonly LegacySecurity[];
}

export interface LegacyAgentCard {
  readonly protocolVersion: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly preferredTransport?: string;
  readonly additionalInterfaces?: readonly LegacyAgentInterface[];
  readonly iconUrl?: string;
  readonly provider?: AgentProvider;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: {
    readonly streaming?: boolean;
    readonly pushNotifications?: boolean;
    readonly stateTransitionHistory?: boolean;
    readonly extensions?: readonly LegacyAgentExtension[];
  };
  readonly securitySchemes?: { readonly [name: string]: LegacySecurityScheme };
  readonly security?: readonly LegacySecurity[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly LegacyAgentSkill[];
  readonly supportsAuthenticatedExtendedCard?: boolean;
  readonly signatures?: readonly AgentCardSignature[];
}

/** Throws when the card leads to no door of 0.3: then there is no card to show. */
export function legacyCardOf(card: AgentCard): LegacyAgentCard {
  const interfaces = legacyInterfacesOf(card);
  const [preferred] = interfaces;
  if (preferred === undefined) throw new Error(`${card.name} has no interface of 0.3`);
  const { provider, iconUrl, documentationUrl, securitySchemes, signatures } = card;
  const { streaming, pushNotifications, extensions, extendedAgentCard } = card.capabilities;
  return {
    protocolVersion: "0.3.0",
    name: card.name,
    description: card.description,
    // The preferred interface is listed among the others too (spec 0.3, 5.6.2).
    url: preferred.url,
    preferredTransport: preferred.protocolBinding,
    additionalInterfaces: interfaces.map(legacyInterfaceOf),
    ...(iconUrl !== undefined && { iconUrl }),
    ...(provider && { provider }),
    version: card.version,
    ...(documentationUrl !== undefined && { documentationUrl }),
    capabilities: {
      ...(streaming !== undefined && { streaming }),
      ...(pushNotifications !== undefined && { pushNotifications }),
      ...(extensions && { extensions: extensions.map(legacyExtensionOf) }),
    },
    ...(securitySchemes && { securitySchemes: legacySchemesOf(securitySchemes) }),
    ...(card.securityRequirements && { security: card.securityRequirements.map(legacySecurityOf) }),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(legacySkillOf),
    ...(extendedAgentCard !== undefined && {
      supportsAuthenticatedExtendedCard: extendedAgentCard,
    }),
    ...(signatures && { signatures }),
  };
}

/**
 * The 0.3 card that carries all of the 1.0 card too, for callers that do not say which version they read. Where the
 * versions have different objects under one name, the object has the members of both. Requirements are there in the form
 * of 0.3 alone: a2a-go 2 reads no card with those of 1.0, and parsers of 1.0 for either version know the older form.
 */
export function hybridCardOf(card: AgentCard): object {
  const legacy = legacyCardOf(card);
  const schemes = Object.entries(card.securitySchemes ?? {}).map(
    ([name, scheme]) => [name, { ...legacy.securitySchemes?.[name], ...scheme }] as const,
  );
  return {
    ...legacy,
    ...withoutRequirements(card),
    capabilities: { ...card.capabilities, ...legacy.capabilities },
    skills: card.skills.map((skill) => ({
      ...legacySkillOf(skill),
      ...withoutRequirements(skill),
    })),
    ...(card.securitySchemes && { securitySchemes: Object.fromEntries(schemes) }),
  };
}

function withoutRequirements<T extends Pick<AgentCard, "securityRequirements">>({
  securityRequirements: _,
  ...rest
}: T): Omit<T, "securityRequirements"> {
  return rest;
}

/**
 * Those of 0.3. A card that lists none is still asked for on gRPC by callers who name the agent in their metadata: they
 * go on at the address where they are.
 */
function legacyInterfacesOf({ supportedInterfaces }: AgentCard): readonly AgentInterface[] {
  const own = supportedInterfaces.filter(isLegacy);
  if (own.length > 0) return own;
  return supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === "GRPC");
}

function isLegacy({ protocolVersion }: AgentInterface): boolean {
  return /^0\.3(?:\.\d+)?$/.test(protocolVersion);
}

function legacyInterfaceOf({ url, protocolBinding }: AgentInterface): LegacyAgentInterface {
  return { url, transport: protocolBinding };
}

function legacyExtensionOf(extension: AgentExtension): LegacyAgentExtension {
  const { uri = "" } = extension;
  return { ...extension, uri };
}

function legacySchemesOf(
  schemes: NonNullable<AgentCard["securitySchemes"]>,
): NonNullable<LegacyAgentCard["securitySchemes"]> {
  return Object.fromEntries(
    Object.entries(schemes).flatMap(([name, scheme]) => {
      const legacy = legacySchemeOf(scheme);
      return legacy === undefined ? [] : [[name, legacy] as const];
    }),
  );
}

function legacySkillOf({ securityRequirements, ...skill }: AgentSkill): LegacyAgentSkill {
  return securityRequirements === undefined
    ? skill
    : { ...skill, security: securityRequirements.map(legacySecurityOf) };
}
