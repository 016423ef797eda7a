/** The card of 1.0 made from a card of 0.3 that came from elsewhere. */
import type {
  AgentCapabilities,
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  SecurityScheme,
} from "../../protocol/agent-card.ts";
import { isObject } from "../schema/objects.ts";
import {
  listOf,
  objectOf,
  someFlag,
  someObject,
  someText,
  someTexts,
  textOf,
  textsOf,
  type CardMembers,
} from "./card-fields.ts";
import { requirementOf, schemeOf } from "./security.ts";

/** Takes whatever comes: members that are missing or of the wrong kind are absent, required ones empty. */
export function agentCardOf(legacy: unknown): AgentCard {
  const card = objectOf(legacy);
  return {
    name: textOf(card["name"]),
    description: textOf(card["description"]),
    supportedInterfaces: interfacesOf(card),
    ...(isObject(card["provider"]) && { provider: providerOf(card["provider"]) }),
    version: textOf(card["version"]),
    ...someText(card, "documentationUrl"),
    capabilities: capabilitiesOf(card),
    ...some("securitySchemes", schemesOf(objectOf(card["securitySchemes"]))),
    ...some("securityRequirements", listOf(card["security"]).map(requirementOf)),
    defaultInputModes: textsOf(card["defaultInputModes"]),
    defaultOutputModes: textsOf(card["defaultOutputModes"]),
    skills: listOf(card["skills"]).map((skill) => skillOf(objectOf(skill))),
    ...some(
      "signatures",
      listOf(card["signatures"]).map((each) => signatureOf(objectOf(each))),
    ),
    ...someText(card, "iconUrl"),
  };
}

/** The preferred one first, each once. JSON-RPC is what 0.3 means where it names no transport (spec 0.3, 5.6.1). */
function interfacesOf(card: CardMembers): readonly AgentInterface[] {
  const preferred = { url: card["url"], transport: card["preferredTransport"] };
  const all = [preferred, ...listOf(card["additionalInterfaces"]).map(objectOf)]
    .map(({ url, transport }) => ({
      url: textOf(url),
      protocolBinding: textOf(transport) || "JSONRPC",
      protocolVersion: versionOf(textOf(card["protocolVersion"])),
    }))
    .filter(({ url }) => url !== "");
  return all.filter(
    (each, index) =>
      all.findIndex(
        ({ url, protocolBinding }) => url === each.url && protocolBinding === each.protocolBinding,
      ) === index,
  );
}

/** `Major.Minor`; a card that does not say is one of 0.3. */
function versionOf(text: string): string {
  return /^\d+\.\d+/.exec(text)?.[0] ?? "0.3";
}

function providerOf(provider: CardMembers): AgentProvider {
  return { url: textOf(provider["url"]), organization: textOf(provider["organization"]) };
}

function capabilitiesOf(card: CardMembers): AgentCapabilities {
  const capabilities = objectOf(card["capabilities"]);
  const extendedAgentCard = card["supportsAuthenticatedExtendedCard"];
  return {
    ...someFlag(capabilities, "streaming"),
    ...someFlag(capabilities, "pushNotifications"),
    ...some(
      "extensions",
      listOf(capabilities["extensions"]).map((each) => extensionOf(objectOf(each))),
    ),
    ...(typeof extendedAgentCard === "boolean" && { extendedAgentCard }),
  };
}

function extensionOf(extension: CardMembers): AgentExtension {
  return {
    ...someText(extension, "uri"),
    ...someText(extension, "description"),
    ...someFlag(extension, "required"),
    ...someObject(extension, "params"),
  };
}

function schemesOf(legacy: CardMembers): NonNullable<AgentCard["securitySchemes"]> {
  const schemes: [string, SecurityScheme][] = [];
  for (const [name, each] of Object.entries(legacy)) {
    const scheme = schemeOf(each);
    if (scheme !== undefined) schemes.push([name, scheme]);
  }
  return Object.fromEntries(schemes);
}

function skillOf(skill: CardMembers): AgentSkill {
  return {
    id: textOf(skill["id"]),
    name: textOf(skill["name"]),
    description: textOf(skill["description"]),
    tags: textsOf(skill["tags"]),
    ...someTexts(skill, "examples"),
    ...someTexts(skill, "inputModes"),
    ...someTexts(skill, "outputModes"),
    ...some("securityRequirements", listOf(skill["security"]).map(requirementOf)),
  };
}

function signatureOf(signature: CardMembers): AgentCardSignature {
  return {
    protected: textOf(signature["protected"]),
    signature: textOf(signature["signature"]),
    ...someObject(signature, "header"),
  };
}

/** The member alone, to be spread; nothing of it when it would be empty. */
function some<K extends string, T extends object>(name: K, value: T): { [N in K]?: T } {
  return (Object.keys(value).length === 0 ? {} : { [name]: value }) as { [N in K]?: T };
}
