/** One source per agent: every served form of its card is derived here. */
import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentSkill,
} from "../protocol/agent-card.ts";
import type { AgentSettings, ExtendedCardSettings } from "./settings.ts";

/** The card as configured; where it is served is not known yet. */
export function sourceCardOf(id: string, settings: AgentSettings): AgentCard {
  const { provider, documentationUrl, iconUrl } = settings;
  return {
    name: settings.name,
    description: settings.description,
    supportedInterfaces: [],
    ...(provider && { provider }),
    version: settings.version,
    ...(documentationUrl !== undefined && { documentationUrl }),
    capabilities: capabilitiesOf(settings),
    defaultInputModes: settings.defaultInputModes,
    defaultOutputModes: settings.defaultOutputModes,
    skills: settings.skills.length > 0 ? settings.skills : [onlySkillOf(id, settings)],
    ...(iconUrl !== undefined && { iconUrl }),
  };
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

function capabilitiesOf(settings: AgentSettings): AgentCapabilities {
  return {
    streaming: settings.streaming,
    pushNotifications: false,
    ...(settings.extensions.length > 0 && { extensions: settings.extensions.map(extensionOf) }),
    extendedAgentCard: settings.extendedCard !== undefined,
  };
}

/** False is what an absent `required` means, and how it is written (spec 8.4.1). */
function extensionOf({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}

/** Clients of every version want a skill; an agent without a list of them has one, itself. */
function onlySkillOf(id: string, { name, description }: AgentSettings): AgentSkill {
  return { id, name, description, tags: [id] };
}
