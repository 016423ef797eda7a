/** From an agent's card to its rows in the tables that refer to `agent_cards`. */
import type {
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentSkill,
  SecurityRequirement,
  SecurityScheme,
} from "../../../protocol/agent-card.ts";
import type { Value } from "../connection.ts";
import { flagOf, jsonOf } from "./values.ts";

type Row = readonly Value[];

export interface ChildTable {
  readonly name: string;
  /** The columns that the card fills. */
  readonly columns: readonly string[];
  /** The rows of a card, with values for these columns. */
  rowsOf(card: AgentCard): readonly Row[];
}

export const CHILD_TABLES: readonly ChildTable[] = [
  {
    name: "agent_capabilities",
    columns: ["streaming", "push_notifications"],
    rowsOf: ({ capabilities: { streaming, pushNotifications } }) => [
      [flagOf(streaming), flagOf(pushNotifications)],
    ],
  },
  {
    name: "agent_skills",
    columns: [
      "id",
      "position",
      "name",
      "description",
      "tags",
      "examples",
      "input_modes",
      "output_modes",
      "security_requirements",
    ],
    rowsOf: ({ skills }) => skills.map(skillRow),
  },
  {
    name: "agent_extensions",
    columns: ["uri", "position", "description", "required", "params"],
    rowsOf: ({ capabilities: { extensions = [] } }) => extensions.map(extensionRow),
  },
  {
    name: "agent_interfaces",
    columns: ["position", "url", "protocol_binding", "protocol_version", "tenant"],
    rowsOf: ({ supportedInterfaces }) => supportedInterfaces.map(interfaceRow),
  },
  {
    name: "agent_security_schemes",
    columns: ["name", "type", "definition"],
    rowsOf: ({ securitySchemes = {} }) => Object.entries(securitySchemes).flatMap(schemeRow),
  },
  {
    name: "agent_security_requirements",
    columns: ["position", "schemes"],
    rowsOf: ({ securityRequirements = [] }) => securityRequirements.map(requirementRow),
  },
  {
    name: "agent_card_signatures",
    columns: ["position", "protected", "signature", "header"],
    rowsOf: ({ signatures = [] }) => signatures.map(signatureRow),
  },
];

function skillRow(skill: AgentSkill, position: number): Row {
  return [
    skill.id,
    position,
    skill.name,
    skill.description,
    JSON.stringify(skill.tags),
    jsonOf(skill.examples),
    jsonOf(skill.inputModes),
    jsonOf(skill.outputModes),
    jsonOf(skill.securityRequirements?.map(schemesOf)),
  ];
}

function extensionRow(extension: AgentExtension, position: number): Row {
  const { uri = "", description = null, required, params } = extension;
  return [uri, position, description, flagOf(required), jsonOf(params)];
}

function interfaceRow(each: AgentInterface, position: number): Row {
  return [position, each.url, each.protocolBinding, each.protocolVersion, each.tenant ?? null];
}

/** The types of schemes as 0.3 names them. */
const SCHEME_TYPES = [
  ["apiKeySecurityScheme", "apiKey"],
  ["httpAuthSecurityScheme", "http"],
  ["oauth2SecurityScheme", "oauth2"],
  ["openIdConnectSecurityScheme", "openIdConnect"],
  ["mtlsSecurityScheme", "mutualTLS"],
] as const;

/** No row for a scheme that says nothing of what it is. */
function schemeRow([name, scheme]: readonly [string, SecurityScheme]): readonly Row[] {
  for (const [member, type] of SCHEME_TYPES) {
    const definition = scheme[member];
    if (definition !== undefined) return [[name, type, JSON.stringify(definition)]];
  }
  return [];
}

function requirementRow(requirement: SecurityRequirement, position: number): Row {
  return [position, JSON.stringify(schemesOf(requirement))];
}

function schemesOf({ schemes = {} }: SecurityRequirement): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list]));
}

function signatureRow(signature: AgentCardSignature, position: number): Row {
  return [position, signature.protected, signature.signature, jsonOf(signature.header)];
}
