/** The agents that a gateway starts with: those of its configuration, and those that were added to earlier ones. */
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { handlerProblem } from "../config/handler-problem.ts";
import { AgentControlError } from "../core/ports/agent-control.ts";
import type { AgentStore } from "../core/ports/agent-store.ts";
import type { Log } from "../core/ports/log.ts";
import { definitionsOf } from "./change.ts";
import { addedDefinition } from "./definition.ts";
import type { Fleet } from "./fleet.ts";
import { MemberError, type Definition } from "./member.ts";
import type { Roll } from "./roll.ts";

export interface StartParts {
  readonly fleet: Fleet;
  readonly config: Config;
  readonly store: AgentStore;
  readonly log: Log;
}

/**
 * Throws a ConfigError for an agent of the configuration that cannot be served. One that was added and cannot be served
 * any more is left out, for a start must not depend on it.
 */
export async function startFleet(parts: StartParts): Promise<void> {
  const { fleet, config, log } = parts;
  let roll = await rollOf(parts);
  for (;;) {
    try {
      return await fleet.change(roll);
    } catch (thrown) {
      if (!(thrown instanceof MemberError)) throw thrown;
      const { definition, cause } = thrown;
      if (definition.origin === "configured") throw configErrorOf(config, thrown);
      log.error({ err: cause, agent: definition.id }, "an added agent cannot be served");
      roll = { ...roll, definitions: roll.definitions.filter((each) => each !== definition) };
    }
  }
}

async function rollOf({ config, store, log }: StartParts): Promise<Roll> {
  const configured = definitionsOf(config);
  const disabled = new Set(await store.disabled());
  if (disabled.delete(config.primary))
    log.warn(
      { agent: config.primary },
      "the primary agent was disabled; it is served all the same",
    );
  const added: Definition[] = [];
  for (const { id, definition } of await store.added()) {
    if (Object.hasOwn(config.agents, id)) {
      log.warn({ agent: id }, "an added agent gives way to one of the configuration");
      continue;
    }
    try {
      added.push(addedDefinition(id, definition));
    } catch (thrown) {
      if (!AgentControlError.is(thrown)) throw thrown;
      const { problems } = thrown;
      log.error({ agent: id, problems }, "an added agent cannot be served");
    }
  }
  return { definitions: [...configured, ...added], disabled, primary: config.primary };
}

function configErrorOf(config: Config, { definition, cause }: MemberError): ConfigError {
  const written = { agent: definition.id, handler: definition.config.handler };
  return new ConfigError([handlerProblem(config, written, cause)], { cause });
}
