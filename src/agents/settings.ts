/** What the configuration says of an agent, as far as its card and its turns go. Durations are milliseconds. */
import type { Agent } from "../core/ports/agent.ts";
import type { CallLimit } from "../core/ports/call-limits.ts";
import type { Interest } from "../core/ports/push-store.ts";
import type {
  AgentExtension,
  AgentProvider,
  AgentSkill,
  ProtocolBinding,
} from "../protocol/agent-card.ts";

export interface ExtendedCardSettings {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly provider?: AgentProvider;
  /** Shown after the skills of the public card; one with the same id takes its place. */
  readonly skills: readonly AgentSkill[];
}

/** Of an agent whose handler has a card of its own, what is absent here is as that card says. */
export interface AgentSettings {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly provider?: AgentProvider;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly skills?: readonly AgentSkill[];
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly streaming: boolean;
  readonly extensions?: readonly AgentExtension[];
  readonly extendedCard?: ExtendedCardSettings;
  readonly forwardHeaders: readonly string[];
  readonly turnTimeout: number;
  readonly cancelGrace: number;
  /** As far as its turns are limited in another way than those of all agents. */
  readonly turns?: NonNullable<Agent["turns"]>;
  /** Who sees its tasks beside whoever made them. */
  readonly sharing: Agent["sharing"];
  /** How much webhooks are told; undefined: there are none. */
  readonly push: { readonly events: Interest } | undefined;
  readonly onRestart: "fail" | "rerun";
  readonly idempotencyWindow: number;
  /** What it says of how much it may be asked. */
  readonly calls?: CallLimit;
  /** The bindings that speak 0.3 too. */
  readonly v03: readonly ProtocolBinding[];
  /** The one that the card names first. */
  readonly preferredBinding: ProtocolBinding;
  /** Of the agent's own listener. */
  readonly port?: number;
  /** Where the agent's own listener is reached. */
  readonly publicUrl?: string;
}
