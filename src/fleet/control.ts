/** What those who run the gateway do about its agents, one thing after another. */
import { setTimeout } from "node:timers/promises";
import type { LocationOf } from "../agents/interfaces.ts";
import {
  AgentControlError,
  type AgentControl,
  type AgentDetail,
} from "../core/ports/agent-control.ts";
import { createOneAtATime } from "../one-at-a-time.ts";
import { A2AError } from "../protocol/errors.ts";
import { addedDefinition } from "./definition.ts";
import type { Turns } from "./fleet.ts";
import type { Definition, Listed, Member } from "./member.ts";
import { reload, type ReloadParts } from "./reload.ts";
import type { Roll } from "./roll.ts";
import { detailOf, viewOf } from "./views.ts";
import { worded } from "./words.ts";

/** The configuration is what the gateway was started with. */
export interface ControlParts extends ReloadParts {
  readonly turns: Turns;
  readonly locationOf: LocationOf;
  /** Whether the gateway is stopping: nothing changes any more then. */
  isStopping(): boolean;
}

export function agentControl(parts: ControlParts): AgentControl {
  const { fleet, turns, locationOf, store, log } = parts;
  const oneAtATime = createOneAtATime();
  const inTurn = <T>(change: () => Promise<T>): Promise<T> =>
    oneAtATime(async () => {
      if (parts.isStopping()) throw new A2AError("UNAVAILABLE", "the gateway is stopping");
      return change();
    });
  const listed = (id: string): Listed => {
    const found = fleet.find(id);
    if (found) return found;
    throw new AgentControlError("unknown", `no agent ${JSON.stringify(id)}`);
  };
  const detail = (id: string): AgentDetail => detailOf(listed(id), { fleet, turns, locationOf });

  return {
    list: () => fleet.roll.agents.map((each) => viewOf(each, { fleet, turns })),
    find: (id) => (fleet.find(id) ? detail(id) : undefined),
    add: (id, written) =>
      inTurn(async () => {
        checkAdded(id, fleet.find(id));
        const definition = addedDefinition(id, written);
        checkPort(definition, fleet.roll);
        const agents = withAgent(fleet.roll.agents, definition);
        const keep = (): Promise<void> => store.add(id, definition.written);
        await worded(() => fleet.change({ ...fleet.roll, agents }, { asked: id, keep }));
        await met(fleet.served(id));
        log.info({ agent: id }, "agent added");
        return detail(id);
      }),
    setEnabled: (id, isEnabled) =>
      inTurn(async () => {
        if (isEnabled) checkPort(readable(listed(id)), fleet.roll);
        else checkNotPrimary(listed(id), fleet.roll);
        const disabled = new Set(fleet.roll.disabled);
        if (isEnabled) disabled.delete(id);
        else disabled.add(id);
        const keep = (): Promise<void> => store.setEnabled(id, isEnabled);
        await worded(() => fleet.change({ ...fleet.roll, disabled }, { asked: id, keep }));
        log.info({ agent: id }, isEnabled ? "agent enabled" : "agent disabled");
        return detail(id);
      }),
    remove: (id) =>
      inTurn(async () => {
        checkAdded(id, listed(id));
        const agents = fleet.roll.agents.filter((each) => each.id !== id);
        const disabled = new Set(fleet.roll.disabled);
        disabled.delete(id);
        const keep = (): Promise<boolean> => store.remove(id);
        await fleet.change({ ...fleet.roll, agents, disabled }, { keep });
        log.info({ agent: id }, "agent removed");
      }),
    async refresh(id) {
      listed(id);
      const refresh = fleet.served(id)?.agent.handler.refresh;
      if (!refresh)
        throw new AgentControlError("conflict", `agent ${id} is not remote, or disabled`);
      await refresh();
      return detail(id);
    },
    reload: () => inTurn(() => reload(parts)),
  };
}

function checkAdded(id: string, agent: Listed | undefined): void {
  if (agent?.origin === "configured")
    throw new AgentControlError("conflict", `agent ${id} stands in the configuration`);
}

function checkNotPrimary({ id }: Listed, { primary }: Roll): void {
  if (id === primary) throw new AgentControlError("conflict", `agent ${id} is the primary agent`);
}

function checkPort({ id, config: { port } }: Definition, { agents, disabled }: Roll): void {
  if (port === undefined || port === 0) return;
  const other = agents.find(
    (each) => each.id !== id && each.config?.port === port && !disabled.has(each.id),
  );
  if (other) throw new AgentControlError("conflict", `port ${port} is taken by agent ${other.id}`);
}

/** Reads a definition again that could not be read; throws what is wrong with it. */
function readable(agent: Listed): Definition {
  return agent.config === undefined ? addedDefinition(agent.id, agent.written) : agent;
}

/** An agent takes the place of the one with its id. */
function withAgent(agents: readonly Listed[], definition: Definition): readonly Listed[] {
  const isKnown = agents.some(({ id }) => id === definition.id);
  if (!isKnown) return [...agents, definition];
  return agents.map((each) => (each.id === definition.id ? definition : each));
}

/** A remote agent that answers soon is shown with its card. */
async function met(member: Member | undefined): Promise<void> {
  const late = new AbortController();
  const patience = setTimeout(SOON_MS, undefined, { signal: late.signal });
  await Promise.race([member?.agent.handler.refresh?.(), patience]).finally(() => late.abort());
}

const SOON_MS = 2_000;
