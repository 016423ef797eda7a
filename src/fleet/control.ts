/** What those who run the gateway do about its agents, one thing after another. */
import { setTimeout } from "node:timers/promises";
import type { LocationOf } from "../agents/interfaces.ts";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { handlerProblem } from "../config/handler-problem.ts";
import {
  AgentControlError,
  type AgentControl,
  type AgentDetail,
  type Reloaded,
} from "../core/ports/agent-control.ts";
import type { AgentStore } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";
import { definitionsOf, isSame, laterOf } from "./change.ts";
import { addedDefinition, invalid } from "./definition.ts";
import type { Fleet, Turns } from "./fleet.ts";
import { MemberError, type Definition, type Member } from "./member.ts";
import type { Roll } from "./roll.ts";
import { detailOf, viewOf } from "./views.ts";

export interface ControlParts {
  readonly fleet: Fleet;
  readonly turns: Turns;
  readonly locationOf: LocationOf;
  readonly store: AgentStore;
  /** What the gateway was started with. */
  readonly config: Config;
  /** Reads the configuration again; undefined where it did not come from a file. Throws a ConfigError. */
  readonly configure: (() => Promise<Config>) | undefined;
  readonly log: Log;
}

export function agentControl(parts: ControlParts): AgentControl {
  const { fleet, turns, locationOf, store, config, configure, log } = parts;
  const inTurn = oneAtATime();

  const definitionOf = (id: string): Definition => {
    const definition = fleet.find(id);
    if (definition) return definition;
    throw new AgentControlError("unknown", `no agent ${JSON.stringify(id)}`);
  };
  const detail = (id: string): AgentDetail =>
    detailOf(definitionOf(id), { fleet, turns, locationOf });

  /** Serves an agent and keeps it, or neither. */
  async function serve(definition: Definition): Promise<void> {
    const before = fleet.roll;
    const { definitions } = before;
    const known = definitions.some(({ id }) => id === definition.id);
    const next = known
      ? definitions.map((each) => (each.id === definition.id ? definition : each))
      : [...definitions, definition];
    await fleet.change({ ...before, definitions: next });
    try {
      await store.add(definition.id, definition.written);
    } catch (thrown) {
      await fleet.change(before);
      throw thrown;
    }
  }

  async function reloaded(): Promise<Reloaded> {
    if (!configure)
      throw new AgentControlError("conflict", "the gateway has no configuration file");
    const next = await configure();
    const configured = definitionsOf(next);
    const before = new Map(fleet.roll.definitions.map((each) => [each.id, each]));
    const own = new Set(configured.map(({ id }) => id));
    const added = fleet.roll.definitions.filter(
      ({ id, origin }) => origin === "added" && !own.has(id),
    );
    const { disabled } = fleet.roll;
    if (disabled.has(next.primary))
      throw new AgentControlError("conflict", `the primary agent ${next.primary} is disabled`);
    await fleet.change({
      definitions: [...configured, ...added],
      disabled,
      primary: next.primary,
    });
    return {
      added: configured.filter(({ id }) => !before.has(id)).map(({ id }) => id),
      changed: configured
        .filter((each) => {
          const known = before.get(each.id);
          return known !== undefined && !isSame(known, each);
        })
        .map(({ id }) => id),
      removed: [...before.values()]
        .filter(({ id, origin }) => origin === "configured" && !own.has(id))
        .map(({ id }) => id),
      later: laterOf(config, next),
    };
  }

  return {
    list: () => fleet.roll.definitions.map((each) => viewOf(each, { fleet, turns })),
    find: (id) => (fleet.find(id) ? detail(id) : undefined),
    add: (id, written) =>
      inTurn(async () => {
        if (fleet.find(id)?.origin === "configured")
          throw new AgentControlError("conflict", `agent ${id} stands in the configuration`);
        const definition = addedDefinition(id, written);
        checkPort(definition, fleet.roll);
        await worded(() => serve(definition));
        await met(fleet.served(id));
        log.info({ agent: id }, "agent added");
        return detail(id);
      }),
    setEnabled: (id, isEnabled) =>
      inTurn(async () => {
        definitionOf(id);
        if (!isEnabled && fleet.roll.primary === id)
          throw new AgentControlError("conflict", `agent ${id} is the primary agent`);
        const disabled = new Set(fleet.roll.disabled);
        if (isEnabled) disabled.delete(id);
        else disabled.add(id);
        await worded(() => fleet.change({ ...fleet.roll, disabled }));
        await store.setEnabled(id, isEnabled);
        log.info({ agent: id }, isEnabled ? "agent enabled" : "agent disabled");
        return detail(id);
      }),
    remove: (id) =>
      inTurn(async () => {
        if (definitionOf(id).origin === "configured")
          throw new AgentControlError("conflict", `agent ${id} stands in the configuration`);
        const definitions = fleet.roll.definitions.filter((each) => each.id !== id);
        const disabled = new Set(fleet.roll.disabled);
        disabled.delete(id);
        await store.remove(id);
        await fleet.change({ ...fleet.roll, definitions, disabled });
        log.info({ agent: id }, "agent removed");
      }),
    async refresh(id) {
      definitionOf(id);
      const refresh = fleet.served(id)?.agent.handler.refresh;
      if (!refresh)
        throw new AgentControlError("conflict", `agent ${id} is not remote, or disabled`);
      await refresh();
      return detail(id);
    },
    reload: () => inTurn(() => worded(reloaded, "the configuration cannot be used")),
  };
}

/** A remote agent that answers soon is shown with its card. */
async function met(member: Member | undefined): Promise<void> {
  const late = new AbortController();
  const patience = setTimeout(SOON_MS, undefined, { signal: late.signal });
  await Promise.race([member?.agent.handler.refresh?.(), patience]).finally(() => late.abort());
}

const SOON_MS = 2_000;

function checkPort({ id, config: { port } }: Definition, { definitions }: Roll): void {
  if (port === undefined || port === 0) return;
  const other = definitions.find((each) => each.id !== id && each.config.port === port);
  if (other) throw new AgentControlError("conflict", `port ${port} is taken by agent ${other.id}`);
}

/** What a change throws, in the words of whoever asked for it. */
async function worded<T>(change: () => Promise<T>, message?: string): Promise<T> {
  try {
    return await change();
  } catch (thrown) {
    if (thrown instanceof MemberError) throw wordedMember(thrown, message);
    if (thrown instanceof ConfigError) {
      const problems = thrown.problems.map(({ where, path, what }) => ({
        path: [where, path].filter((part) => part !== "").join(": "),
        what,
      }));
      const options = { cause: thrown };
      throw new AgentControlError("invalid", message ?? thrown.message, problems, options);
    }
    // A port that cannot be had says so itself.
    if (thrown instanceof Error && thrown.cause !== undefined && !AgentControlError.is(thrown))
      throw new AgentControlError("conflict", thrown.message, [], { cause: thrown });
    throw thrown;
  }
}

function wordedMember(
  { definition: { id, config }, cause }: MemberError,
  message: string | undefined,
): AgentControlError {
  const written = { agent: id, handler: config.handler };
  const { path, what } = handlerProblem({ whereOf: () => "" }, written, cause);
  const error = invalid(id, [{ path: path.replace(`agents.${id}.`, ""), what }], cause);
  if (message === undefined) return error;
  return new AgentControlError("invalid", message, [{ path, what }], { cause });
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
