/** The configuration is read again: its agents, and those that were added beside it. */
import type { Config } from "../config/config.ts";
import { AgentControlError, type Reloaded } from "../core/ports/agent-control.ts";
import { changesOf, laterOf } from "./change.ts";
import type { Fleet } from "./fleet.ts";
import { rollOf, type RollParts } from "./roll.ts";
import { worded } from "./words.ts";

export interface ReloadParts extends RollParts {
  readonly fleet: Fleet;
  /** Reads the configuration again; undefined where it did not come from a file. Throws a ConfigError. */
  readonly configure: (() => Promise<Config>) | undefined;
}

/** Serves what a start would serve now. Throws as `AgentControl.reload` does. */
export function reload(parts: ReloadParts): Promise<Reloaded> {
  return worded(() => reloaded(parts), "the configuration cannot be used");
}

async function reloaded({ fleet, config, configure, ...kept }: ReloadParts): Promise<Reloaded> {
  if (!configure) throw new AgentControlError("conflict", "the gateway has no configuration file");
  const next = await configure();
  const before = fleet.roll;
  if (before.disabled.has(next.primary))
    throw new AgentControlError("conflict", `the primary agent ${next.primary} is disabled`);
  const roll = await rollOf({ config: next, ...kept });
  await fleet.change(roll);
  return { ...changesOf(before.agents, roll.agents), later: laterOf(config, next) };
}
