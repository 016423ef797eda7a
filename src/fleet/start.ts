/** The agents that a gateway starts with: those of its configuration, and those that were added to earlier ones. */
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { handlerProblem } from "../config/handler-problem.ts";
import type { Fleet } from "./fleet.ts";
import { MemberError } from "./member.ts";
import { rollOf, type RollParts } from "./roll.ts";

export interface StartParts extends RollParts {
  readonly fleet: Fleet;
}

/**
 * Throws a ConfigError for an agent of the configuration that cannot be served. One that was added and cannot be served
 * any more is only listed, for a start must not depend on it.
 */
export async function startFleet({ fleet, ...parts }: StartParts): Promise<void> {
  const roll = await rollOf(parts);
  try {
    await fleet.change(roll);
  } catch (thrown) {
    throw thrown instanceof MemberError ? configErrorOf(parts.config, thrown) : thrown;
  }
}

function configErrorOf(config: Config, { definition, cause }: MemberError): ConfigError {
  const written = { agent: definition.id, handler: definition.config.handler };
  return new ConfigError([handlerProblem(config, written, cause)], { cause });
}
