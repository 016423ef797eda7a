/** The card of an agent, whatever version it is written in. */
import type { AgentCard, AgentInterface } from "../../../protocol/agent-card.ts";
import { A2AError } from "../../../protocol/errors.ts";
import { agentCardOf } from "../../../wire/v0_3/agent-card.ts";
import { withRequirements } from "../../../wire/v0_3/security.ts";
import { messages } from "../../../wire/v1/messages.ts";
import { isFields, type Fields } from "../../fields.ts";

/**
 * The card in the form of 1.0, with the interfaces of both versions in their order: those of 1.0 first, then those that
 * only the members of 0.3 name. Throws an Error for what is no card.
 */
export function cardOf(json: unknown): AgentCard {
  if (!isFields(json)) throw new Error("the agent's card is no JSON object");
  const legacy = speaksLegacy(json) ? agentCardOf(json) : undefined;
  if (!speaksNewest(json)) {
    if (legacy !== undefined) return legacy;
    throw new Error("the agent's card names no interface");
  }
  const card = newestOf(json);
  if (legacy === undefined) return card;
  const supportedInterfaces = [...card.supportedInterfaces];
  for (const each of legacy.supportedInterfaces) {
    if (!supportedInterfaces.some((known) => isSame(known, each))) supportedInterfaces.push(each);
  }
  return { ...card, supportedInterfaces };
}

function speaksNewest({ supportedInterfaces }: Fields): boolean {
  return Array.isArray(supportedInterfaces) && supportedInterfaces.length > 0;
}

function speaksLegacy({ url, additionalInterfaces }: Fields): boolean {
  return typeof url === "string" || Array.isArray(additionalInterfaces);
}

function newestOf(json: Fields): AgentCard {
  try {
    return messages.AgentCard.decode(withRequirements(json), "lenient");
  } catch (thrown) {
    if (!A2AError.is(thrown)) throw thrown;
    throw new Error(`the agent's card is invalid: ${thrown.message}`, { cause: thrown });
  }
}

/** A hybrid repeats under the names of 0.3 what it lists under those of 1.0; versions may come with a patch number. */
function isSame(a: AgentInterface, b: AgentInterface): boolean {
  return (
    a.url === b.url &&
    a.protocolBinding.toUpperCase() === b.protocolBinding.toUpperCase() &&
    minorOf(a.protocolVersion) === minorOf(b.protocolVersion)
  );
}

/** An interface that does not say its version is one of 0.3. */
function minorOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? "0.3";
}
