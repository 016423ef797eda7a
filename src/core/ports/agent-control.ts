/** What those who run the gateway do about its agents while it runs. */
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { JsonObject } from "../../protocol/json.ts";

/** One way to reach a remote agent, as the gateway finds it. */
export interface UpstreamInterfaceView {
  readonly url: string;
  readonly binding: string;
  readonly version: string;
  /** Whether calls go there: `open` when they fail at once, `half-open` when one is let through to see. */
  readonly breaker: "closed" | "open" | "half-open";
  /** Whether calls go there when nothing is wrong. */
  readonly isCurrent: boolean;
  /** What the last health check found; undefined for one that was not checked yet. */
  readonly health:
    | {
        readonly isUp: boolean;
        /** Milliseconds since the epoch. */
        readonly checkedAt: number;
        readonly problem: string | undefined;
      }
    | undefined;
}

/** A remote agent, as the gateway finds it. */
export interface UpstreamView {
  /** Whether it can be called: its card is known, from itself or from an earlier start. */
  readonly isKnown: boolean;
  /** When it last said what its card is, in milliseconds since the epoch. */
  readonly fetchedAt: number | undefined;
  /** Why its card could not be had the last time. */
  readonly problem: string | undefined;
  readonly interfaces: readonly UpstreamInterfaceView[];
}

export interface AgentView {
  readonly id: string;
  /** Whether it stands in the configuration, or was added while the gateway ran. */
  readonly origin: "configured" | "added";
  /** The kind of its handler; `unknown` where its definition cannot be read. */
  readonly kind: string;
  /** A disabled agent is there for nobody but those who run the gateway. */
  readonly isEnabled: boolean;
  readonly isPrimary: boolean;
  /** Why an agent that was added is not served, its definition or its port being at fault; undefined: nothing is wrong. */
  readonly problem: string | undefined;
  readonly port: number | undefined;
  readonly name: string;
  readonly description: string;
  /** How many tasks have a turn now. */
  readonly running: number;
  /** Of remote agents. */
  readonly upstream: UpstreamView | undefined;
}

export interface AgentDetail extends AgentView {
  /** As it was written, secrets left out. */
  readonly definition: JsonObject;
  /** As it is served under 1.0; undefined where its definition cannot be read. */
  readonly card: AgentCard | undefined;
}

/** What a reload of the configuration changed. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Settings outside the agents that differ from those the gateway runs with: they count from the next start. */
  readonly later: readonly string[];
}

/**
 * Whatever names an agent throws an AgentControlError of the kind `unknown` where there is none of that id. A change is
 * made and kept whole, or throws and nothing has changed; all of them throw UNAVAILABLE while the store is locked or full,
 * and once the gateway is stopping.
 */
export interface AgentControl {
  /** Every agent, enabled or not, in order: those of the configuration first. */
  list(): readonly AgentView[];
  find(id: string): AgentDetail | undefined;
  /**
   * Adds an agent, or gives one that was added another definition: what would stand below its id in a configuration
   * file. It is served when this resolves. Throws an AgentControlError: `invalid` for a definition that cannot be used,
   * with every problem of it; `conflict` for the id of a configured agent, and for a port that is taken.
   */
  add(id: string, definition: unknown): Promise<AgentDetail>;
  /**
   * Switches an agent on or off, for this and for later starts; one that is on and has a problem is tried again. The
   * primary agent cannot be switched off: `conflict`. An agent that cannot be served cannot be switched on: `invalid`, or
   * `conflict` for its port.
   */
  setEnabled(id: string, isEnabled: boolean): Promise<AgentDetail>;
  /** Removes an agent that was added; its turns end, their tasks fail. A configured one cannot be: `conflict`. */
  remove(id: string): Promise<void>;
  /** Asks a remote agent for its card now. `conflict` for an agent that is not remote. */
  refresh(id: string): Promise<AgentDetail>;
  /**
   * Reads the configuration again, and tries agents again that have a problem. Throws `invalid`, with every problem, for a
   * configuration that cannot be used, and `conflict` where there is no file, the primary agent is disabled, or the port
   * of a configured agent is not to be had.
   */
  reload(): Promise<Reloaded>;
}

export interface ControlProblem {
  /** Where in the definition or the configuration, such as `upstream.url` or `config.yaml:3:5: agents.x`. */
  readonly path: string;
  readonly what: string;
}

const agentControl = Symbol.for("a2a-gateway.agent-control");

export class AgentControlError extends Error {
  readonly [agentControl] = true;
  readonly kind: "unknown" | "invalid" | "conflict";
  readonly problems: readonly ControlProblem[];

  constructor(
    kind: AgentControlError["kind"],
    message: string,
    problems: readonly ControlProblem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.kind = kind;
    this.problems = problems;
  }

  static is(thrown: unknown): thrown is AgentControlError {
    return typeof thrown === "object" && thrown !== null && agentControl in thrown;
  }
}
