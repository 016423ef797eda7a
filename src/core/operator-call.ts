/** A call by those who run the gateway, in the name of a task's owner. */
import { UNASKED } from "../protocol/principal.ts";
import type { Call } from "../protocol/service.ts";
import type { Agent } from "./ports/agent.ts";

/** It declares every extension that the agent has: nobody is there who could be asked to. */
export function operatorCall(agent: Agent, owner: string, requestId: string): Call {
  const { extensions = [] } = agent.card.capabilities;
  return {
    agent: agent.id,
    principal: { ...UNASKED, id: owner, method: "operator" },
    binding: undefined,
    address: "",
    version: "1.0",
    cancelsOnce: false,
    extensions: extensions.flatMap(({ uri }) => (uri === undefined ? [] : [uri])),
    signal: NEVER,
    resumeAfter: undefined,
    headers: {},
    activate: () => undefined,
    tell: () => undefined,
    requestId,
  };
}

const NEVER = new AbortController().signal;
