/**
 * The card as the 0.3 protobuf has it: what JSON calls by another name or leaves to a `type`, protobuf has in the shape
 * that 1.0 has kept. Members that only 1.0 has may stay in it; writing protobuf passes over them.
 */
import type {
  AgentCard,
  AgentCardSignature,
  AgentProvider,
  AgentSkill,
  SecurityRequirement,
  SecurityScheme,
} from "../../protocol/agent-card.ts";
import { legacyCardOf, type LegacyAgentCard } from "./card.ts";

export interface ProtoAgentCard {
  readonly protocolVersion: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly preferredTransport?: string;
  readonly additionalInterfaces?: LegacyAgentCard["additionalInterfaces"];
  readonly provider?: AgentProvider;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: LegacyAgentCard["capabilities"];
  readonly securitySchemes?: { readonly [name: string]: SecurityScheme };
  readonly security?: readonly SecurityRequirement[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly ProtoAgentSkill[];
  readonly supportsAuthenticatedExtendedCard?: boolean;
  readonly signatures?: readonly AgentCardSignature[];
  readonly iconUrl?: string;
}

export interface ProtoAgentSkill extends Omit<AgentSkill, "securityRequirements"> {
  readonly security?: readonly SecurityRequirement[];
}

/** Throws when none of the card's interfaces speaks 0.3: then there is no card to show. */
export function protoCardOf(card: AgentCard): ProtoAgentCard {
  const {
    securitySchemes: _schemes,
    security: _security,
    skills: _skills,
    ...rest
  } = legacyCardOf(card);
  const { securitySchemes, securityRequirements } = card;
  return {
    ...rest,
    skills: card.skills.map(protoSkillOf),
    ...(securitySchemes && { securitySchemes }),
    ...(securityRequirements && { security: securityRequirements }),
  };
}

function protoSkillOf({ securityRequirements, ...skill }: AgentSkill): ProtoAgentSkill {
  return securityRequirements === undefined ? skill : { ...skill, security: securityRequirements };
}
