/** Agents as those who run the gateway see them. */
import { servedCardOf, sourceCardOf } from "../agents/card.ts";
import type { LocationOf } from "../agents/interfaces.ts";
import type { AgentDetail, AgentView } from "../core/ports/agent-control.ts";
import type { Fleet, Turns } from "./fleet.ts";
import type { Definition } from "./member.ts";
import { redacted } from "./redacted.ts";

export interface ViewParts {
  readonly fleet: Fleet;
  readonly turns: Turns;
}

export function viewOf(definition: Definition, { fleet, turns }: ViewParts): AgentView {
  const { id, origin, config } = definition;
  const agent = fleet.served(id)?.agent;
  const { name, description } = agent?.card ?? sourceCardOf(id, config);
  return {
    id,
    origin,
    kind: config.handler.kind,
    isEnabled: agent !== undefined,
    isPrimary: fleet.roll.primary === id,
    port: config.port,
    name,
    description,
    running: agent ? turns.loadOf(agent) : 0,
    upstream: agent?.handler.upstream?.(),
  };
}

export function detailOf(
  definition: Definition,
  { locationOf, ...parts }: ViewParts & { readonly locationOf: LocationOf },
): AgentDetail {
  const { id, config, written } = definition;
  const agent = parts.fleet.served(id)?.agent;
  return {
    ...viewOf(definition, parts),
    definition: redacted(written),
    card: agent ? servedCardOf(agent.card, locationOf(id).interfaces) : sourceCardOf(id, config),
  };
}
