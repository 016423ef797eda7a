/** Agents as those who run the gateway see them. */
import { servedCardOf, sourceCardOf } from "../agents/card.ts";
import type { LocationOf } from "../agents/interfaces.ts";
import type { AgentDetail, AgentView } from "../core/ports/agent-control.ts";
import type { AgentCard } from "../protocol/agent-card.ts";
import type { JsonValue } from "../protocol/json.ts";
import type { Fleet, Turns } from "./fleet.ts";
import type { Listed } from "./member.ts";
import { redacted } from "./redacted.ts";

export interface ViewParts {
  readonly fleet: Fleet;
  readonly turns: Turns;
}

export function viewOf(listed: Listed, { fleet, turns }: ViewParts): AgentView {
  const { id, origin, config, written } = listed;
  const agent = fleet.served(id)?.agent;
  const card = agent?.card ?? configuredCardOf(listed);
  return {
    id,
    origin,
    kind: config?.handler.kind ?? "unknown",
    isEnabled: !fleet.roll.disabled.has(id),
    isPrimary: fleet.roll.primary === id,
    problem: fleet.problemOf(id),
    port: config?.port,
    name: card?.name ?? textOf(written["name"], id),
    description: card?.description ?? textOf(written["description"], ""),
    running: agent ? turns.loadOf(agent) : 0,
    upstream: agent?.handler.upstream?.(),
  };
}

export function detailOf(
  listed: Listed,
  { locationOf, ...parts }: ViewParts & { readonly locationOf: LocationOf },
): AgentDetail {
  const { id, written } = listed;
  const agent = parts.fleet.served(id)?.agent;
  return {
    ...viewOf(listed, parts),
    definition: redacted(written),
    card: agent ? servedCardOf(agent.card, locationOf(id).interfaces) : configuredCardOf(listed),
  };
}

function configuredCardOf({ id, config }: Listed): AgentCard | undefined {
  return config && sourceCardOf(id, config);
}

function textOf(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
