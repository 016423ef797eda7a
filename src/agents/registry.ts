/** Which agents there are. */
import type { Agent, Agents } from "../core/ports/agent.ts";
import type { Handler } from "../core/ports/handler.ts";
import type { AgentCard } from "../protocol/agent-card.ts";
import { extendedCardOf, sourceCardOf } from "./card.ts";
import { bodyOf } from "./forms.ts";
import type { LocationOf } from "./interfaces.ts";
import type { AgentSettings, ExtendedCardSettings } from "./settings.ts";
import { signaturesOf } from "./signing/signer.ts";
import type { SigningKey } from "./signing/signing-key.ts";

export interface AgentsInput {
  /** In the order of the configuration. */
  readonly agents: readonly {
    readonly id: string;
    readonly settings: AgentSettings;
    readonly handler: Handler;
  }[];
  /** The id of one of them. */
  readonly primary: string;
  readonly locationOf: LocationOf;
  /** What cards are signed with; none: they are not. */
  readonly keys: readonly SigningKey[];
}

/** The agents of a configuration. Their handlers stay with the caller, who closes them. */
export function agentsOf(input: AgentsInput): Agents {
  const known = new Map<string, Agent>();
  for (const { id, settings, handler } of input.agents)
    known.set(id, new ServedAgent(id, settings, handler, input));
  const all = [...known.values()];
  return {
    find: (id) => known.get(id ?? input.primary),
    all: () => all,
  };
}

/** A class for its card, which is made again when the agent behind the handler has another one. */
class ServedAgent implements Agent {
  readonly id: string;
  readonly handler: Handler;
  readonly extendedCard: (() => AgentCard) | undefined;
  readonly onRestart: Agent["onRestart"];
  readonly idempotencyWindowMs: number;
  readonly forwardHeaders: readonly string[];
  readonly turnTimeoutMs: number;
  readonly cancelGraceMs: number;
  readonly #settings: AgentSettings;
  #own: AgentCard | undefined;
  #card: AgentCard;
  #extended: { readonly of: AgentCard; readonly card: AgentCard } | undefined;

  constructor(id: string, settings: AgentSettings, handler: Handler, input: AgentsInput) {
    const { extendedCard } = settings;
    this.id = id;
    this.handler = handler;
    this.extendedCard = extendedCard && (() => this.#extendedCard(extendedCard, input));
    this.onRestart = settings.onRestart;
    this.idempotencyWindowMs = settings.idempotencyWindow;
    this.forwardHeaders = settings.forwardHeaders;
    this.turnTimeoutMs = settings.turnTimeout;
    this.cancelGraceMs = settings.cancelGrace;
    this.#settings = settings;
    this.#own = handler.card?.();
    this.#card = sourceCardOf(id, settings, this.#own);
  }

  get card(): AgentCard {
    const own = this.handler.card?.();
    if (own === this.#own) return this.#card;
    this.#own = own;
    return (this.#card = sourceCardOf(this.id, this.#settings, own));
  }

  /** Kept once the listeners are open: after that addresses do not change. */
  #extendedCard(extended: ExtendedCardSettings, { locationOf, keys }: AgentsInput): AgentCard {
    const { card: of } = this;
    if (this.#extended?.of === of) return this.#extended.card;
    const { interfaces, keySetUrl, isFinal } = locationOf(this.id);
    const card = extendedCardOf(of, extended, interfaces);
    const signed =
      keys.length === 0
        ? card
        : { ...card, signatures: signaturesOf(bodyOf(card, "hybrid"), keys, keySetUrl) };
    if (isFinal) this.#extended = { of, card: signed };
    return signed;
  }
}
