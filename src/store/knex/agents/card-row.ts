/** From an agent's card to its row in `agent_cards`. */
import type { AgentCard, AgentInterface, ProtocolBinding } from "../../../protocol/agent-card.ts";
import type { Value } from "../connection.ts";
import { flagOf, jsonOf } from "./values.ts";

/** The columns that the card fills. */
export const CARD_COLUMNS: readonly string[] = [
  "protocol_version",
  "name",
  "description",
  "url",
  "version",
  "default_input_modes",
  "default_output_modes",
  "preferred_transport",
  "icon_url",
  "documentation_url",
  "provider",
  "supports_extended_card",
];

/** Their values, in the same order. */
export function cardRowOf(card: AgentCard): readonly Value[] {
  const { url = "", protocolVersion = "1.0", protocolBinding } = mainInterfaceOf(card) ?? {};
  return [
    protocolVersion,
    card.name,
    card.description,
    url,
    card.version,
    JSON.stringify(card.defaultInputModes),
    JSON.stringify(card.defaultOutputModes),
    isKnownBinding(protocolBinding) ? protocolBinding : "JSONRPC",
    card.iconUrl ?? null,
    card.documentationUrl ?? null,
    jsonOf(card.provider),
    flagOf(card.capabilities.extendedAgentCard),
  ];
}

/**
 * What 0.3 has room for outside the list of interfaces: the first that speaks it, else the first with a binding that it
 * knows. A binding may be a URI (spec 4.4.6), which the table of interfaces takes and `preferred_transport` does not.
 */
function mainInterfaceOf({ supportedInterfaces: all }: AgentCard): AgentInterface | undefined {
  const known = all.filter(({ protocolBinding }) => isKnownBinding(protocolBinding));
  return known.find(({ protocolVersion }) => /^0\.3\b/.test(protocolVersion)) ?? known[0] ?? all[0];
}

const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

function isKnownBinding(binding: string | undefined): binding is ProtocolBinding {
  return BINDINGS.some((known) => known === binding);
}
