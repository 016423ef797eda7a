/**
 * Places for turns: so many turns of an agent run at a time, and of each caller, and further ones wait. Whoever waits
 * is served in turn with the others who do, each by the order of arrival, so that nobody's thousand messages keep
 * somebody else's one waiting longer than one of them takes.
 */
import { A2AError } from "../../protocol/errors.ts";
import type { Agent, TurnLimits } from "../ports/agent.ts";
import { Line } from "./line.ts";
import type { Place, Refusal } from "./place.ts";

export class TurnPlaces {
  readonly #defaults: TurnLimits;
  /** By agent, those alone of which turns run or wait: an agent that is replaced keeps its line. */
  readonly #lines = new Map<string, Line>();

  /** @param defaults counts for each agent, as far as that does not say otherwise. */
  constructor(defaults: TurnLimits) {
    this.#defaults = defaults;
  }

  /**
   * As `join`, for a turn that may be refused. Throws when it could neither run nor wait now: UNAVAILABLE for what all
   * callers together do, RATE_LIMITED for what this one does.
   */
  admit(agent: Agent, caller: string): Place | undefined {
    const refusal = this.#lines.get(agent.id)?.refusalOf(caller);
    if (refusal) throw refused(refusal, agent, "");
    return this.join(agent, caller);
  }

  /**
   * A place in the line of an agent, behind the turn that its task has now: it takes a place to run only once `ready`
   * has been called, and is given back by `leave`. Undefined where turns of the agent have no limit.
   */
  join(agent: Agent, caller: string): Place | undefined {
    const limits = this.#limitsOf(agent);
    const known = this.#lines.get(agent.id);
    if (limits.running === undefined && limits.perPrincipal === undefined && !known)
      return undefined;
    const line = known ?? new Line(() => this.#lines.delete(agent.id));
    line.limits = limits;
    this.#lines.set(agent.id, line);
    return line.join(caller, (refusal) =>
      refused(refusal, agent, `no place came free within ${limits.wait} ms: `),
    );
  }

  /**
   * Throws as `admit` does where a turn may not wait behind others of its task, of which so many wait already. That has a limit
   * where turns have none, too: whoever sends on need not wait for an answer.
   */
  checkBehind(agent: Agent, place: Place | undefined, waiting: number): void {
    const isFull = waiting >= this.#limitsOf(agent).queue;
    const refusal = place ? place.refusalBehind : isFull ? "agent" : undefined;
    if (refusal) throw refused(refusal, agent, "");
  }

  #limitsOf({ turns }: Agent): TurnLimits {
    return turns ? { ...this.#defaults, ...turns } : this.#defaults;
  }
}

function refused(refusal: Refusal, { id }: Agent, before: string): A2AError {
  const again = { retryAfter: 1 };
  return refusal === "agent"
    ? new A2AError("UNAVAILABLE", `${before}agent ${id} has as many turns as it may`, again)
    : new A2AError("RATE_LIMITED", `${before}this caller has as many turns as it may`, again);
}
