/** Agents as a store is told of them, with everything filled in that a test does not care about. */
import type { RecordedAgent } from "../../src/core/ports/agent-store.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";

export function card(fields: Partial<AgentCard> = {}): AgentCard {
  return {
    name: "n",
    description: "d",
    supportedInterfaces: [{ url: "u", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    version: "1",
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "s", name: "n", description: "d", tags: [] }],
    ...fields,
  };
}

export function served(id: string, fields: Partial<RecordedAgent> = {}): RecordedAgent {
  return { id, card: card({ name: id }), port: undefined, isPrimary: false, ...fields };
}
