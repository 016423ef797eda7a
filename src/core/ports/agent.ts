/** The agents that core serves. */
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { Sharing } from "../owner.ts";
import type { CallLimit } from "./call-limits.ts";
import type { Handler } from "./handler.ts";
import type { Interest } from "./push-store.ts";

/** How many turns run at a time, and how many wait for that. */
export interface TurnLimits {
  /** Turns of the agent that run at a time; undefined: without limit. */
  readonly running: number | undefined;
  /** Turns of one caller at the agent that run at a time; undefined: without limit. */
  readonly perPrincipal: number | undefined;
  /** Turns that may wait at the agent. */
  readonly queue: number;
  /** How long one may wait, in milliseconds. */
  readonly wait: number;
}

export interface Agent {
  /** The slug under which the agent is served. */
  readonly id: string;
  readonly handler: Handler;
  /** The card as it is now; `supportedInterfaces` is filled in where it is served. */
  readonly card: AgentCard;
  /** Shown to callers of GetExtendedAgentCard; undefined: not configured. */
  readonly extendedCard: (() => AgentCard) | undefined;
  /** What a task whose turn was cut by a crash does at the next start. */
  readonly onRestart: "fail" | "rerun";
  /** For how long a repeated messageId answers with the same task, in milliseconds; 0: never. */
  readonly idempotencyWindowMs: number;
  /** Names, in lower case, of the request headers that its handler sees. */
  readonly forwardHeaders: readonly string[];
  /** How long a turn may take, in milliseconds; 0: without limit. */
  readonly turnTimeoutMs: number;
  /** How much webhooks of its tasks are told; undefined: its tasks have none. */
  readonly pushInterest: Interest | undefined;
  /** Who sees its tasks beside whoever made them. */
  readonly sharing: Sharing;
  /** What limits its turns in another way than those of other agents; undefined: nothing. */
  readonly turns: Partial<TurnLimits> | undefined;
  /** How much it may be asked, where it says; what it does not say is as for all agents. */
  readonly calls: CallLimit | undefined;
  /** How long a canceled turn may take to end, in milliseconds. */
  readonly cancelGraceMs: number;
}

export interface Agents {
  /** The agent of that id, or the primary agent for undefined; undefined when there is none. */
  find(id: string | undefined): Agent | undefined;
  /** Every agent. */
  all(): readonly Agent[];
}
