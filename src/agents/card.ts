/** One source per agent: every served form of its card is derived here. */
import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentSkill,
} from "../protocol/agent-card.ts";
import type { AgentSettings, ExtendedCardSettings } from "./settings.ts";

/**
 * The card as configured, over what the agent says of itself where it does; where it is served is not known yet. Of an
 * agent's own card neither its addresses nor its signatures are taken, and not who it lets in: here the gateway does.
 */
export function sourceCardOf(id: string, settings: AgentSettings, own?: AgentCard): AgentCard {
  const provider = settings.provider ?? own?.provider;
  const documentationUrl = settings.documentationUrl ?? own?.documentationUrl;
  const iconUrl = settings.iconUrl ?? own?.iconUrl;
  const name = settings.name ?? own?.name ?? id;
  const description = settings.description ?? own?.description ?? "";
  const skills = settings.skills ?? own?.skills.map(withoutSecurity) ?? [];
  return {
    name,
    description,
    supportedInterfaces: [],
    ...(provider && { provider }),
    version: settings.version ?? own?.version ?? "1.0.0",
    ...(documentationUrl !== undefined && { documentationUrl }),
    capabilities: capabilitiesOf(settings, own),
    defaultInputModes: settings.defaultInputModes ?? own?.defaultInputModes ?? PLAIN_TEXT,
    defaultOutputModes: settings.defaultOutputModes ?? own?.defaultOutputModes ?? PLAIN_TEXT,
    // Clients of every version want a skill; an agent without a list of them has one, itself.
    skills: skills.length > 0 ? skills : [{ id, name, description, tags: [id] }],
    ...(iconUrl !== undefined && { iconUrl }),
  };
}

const PLAIN_TEXT = ["text/plain"];

function withoutSecurity({ securityRequirements: _, ...skill }: AgentSkill): AgentSkill {
  return skill;
}

/** The pure 1.0 card. */
export function servedCardOf(source: AgentCard, interfaces: readonly AgentInterface[]): AgentCard {
  return { ...source, supportedInterfaces: interfaces };
}

/** What GetExtendedAgentCard shows: the source card with what the configuration replaces or adds. */
export function extendedCardOf(
  source: AgentCard,
  extended: ExtendedCardSettings,
  interfaces: readonly AgentInterface[],
): AgentCard {
  const { skills, ...replaced } = extended;
  const added = new Set(skills.map(({ id }) => id));
  return {
    ...source,
    ...replaced,
    supportedInterfaces: interfaces,
    skills: [...source.skills.filter(({ id }) => !added.has(id)), ...skills],
  };
}

function capabilitiesOf(settings: AgentSettings, own: AgentCard | undefined): AgentCapabilities {
  const extensions = settings.extensions ?? own?.capabilities.extensions ?? [];
  return {
    streaming: settings.streaming,
    pushNotifications: settings.push !== undefined,
    ...(extensions.length > 0 && { extensions: extensions.map(extensionOf) }),
    extendedAgentCard: settings.extendedCard !== undefined,
  };
}

/** False is what an absent `required` means, and how it is written (spec 8.4.1). */
function extensionOf({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}
