/** Agents that are there to be served and cannot be: which of them fail a change, and what is told of the others. */
import { ConfigError } from "../config/errors.ts";
import { ListenError } from "../config/listen-at.ts";
import type { Log } from "../core/ports/log.ts";
import { MemberError, type Definition } from "./member.ts";
import type { Roll } from "./roll.ts";
import { problemOf } from "./words.ts";

export interface Problem {
  readonly text: string;
  /** What was thrown; undefined for a definition that cannot be read. */
  readonly cause?: unknown;
}

/** Why agents are not served, by their ids. */
export type Unserved = ReadonlyMap<string, Problem>;

export interface Failures {
  readonly unserved: Unserved;
  /** Notes why an agent cannot be served. Throws that instead where the change depends on the agent. */
  add(definition: Definition, thrown: unknown): void;
}

/**
 * A change depends on the agents of the configuration, and on the one that it is about; nothing depends on others that
 * were added, as long as it is their definition, their port or its certificates that are at fault.
 */
export function failuresOf({ agents }: Roll, asked: string | undefined): Failures {
  const unserved = new Map<string, Problem>();
  for (const listed of agents)
    if (listed.config === undefined) unserved.set(listed.id, { text: listed.problem });
  return {
    unserved,
    add({ id, origin }, thrown) {
      const isTheirs =
        thrown instanceof MemberError || thrown instanceof ConfigError || ListenError.is(thrown);
      if (origin === "configured" || id === asked || !isTheirs) throw thrown;
      unserved.set(id, { text: problemOf(thrown), cause: thrown.cause });
    },
  };
}

/** Tells of problems that were not there before. */
export function logNew(log: Log, before: Unserved, now: Unserved): void {
  for (const [agent, { text, cause }] of now)
    if (before.get(agent)?.text !== text)
      log.error(
        { agent, problem: text, ...(cause !== undefined && { err: cause }) },
        "an added agent cannot be served",
      );
}
