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
  /** The kind of its handler. */
  readonly kind: string;
  /** A disabled agent is there for nobody but those who run the gateway. */
  readonly isEnabled: boolean;
  readonly isPrimary: boolean;
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
  /** As it is served under 1.0. */
  readonly card: AgentCard;
}

/** What a reload of the configuration changed. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Settings outside the agents that differ from those the gateway runs with: they count from the next start. */
  readonly later: readonly string[];
}

/** Whatever names an agent throws an AgentControlError of the kind `unknown` where there is none of that id. */
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
  /** Switches an agent on or off, for this and for later starts. The primary agent cannot be switched off: `conflict`. */
  setEnabled(id: string, isEnabled: boolean): Promise<AgentDetail>;
  /** Removes an agent that was added; its turns end, their tasks fail. A configured one cannot be: `conflict`. */
  remove(id: string): Promise<void>;
  /** Asks a remote agent for its card now. `conflict` for an agent that is not remote. */
  refresh(id: string): Promise<AgentDetail>;
  /** Reads the configuration again. `invalid`, with every problem, changes nothing; `conflict` where there is no file. */
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
