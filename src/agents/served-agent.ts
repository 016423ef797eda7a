/** An agent as core sees it: its settings, and the card that is made from them and from what the agent says of itself. */
import type { Agent } from "../core/ports/agent.ts";
import type { Handler } from "../core/ports/handler.ts";
import type { AgentCard } from "../protocol/agent-card.ts";
import { extendedCardOf, sourceCardOf } from "./card.ts";
import { bodyOf } from "./forms.ts";
import type { LocationOf } from "./interfaces.ts";
import type { AgentSettings, ExtendedCardSettings } from "./settings.ts";
import { signaturesOf } from "./signing/signer.ts";
import type { SigningKey } from "./signing/signing-key.ts";

/** What the cards of all agents are made with. */
export interface CardParts {
  readonly locationOf: LocationOf;
  /** What cards are signed with; none: they are not. */
  readonly keys: readonly SigningKey[];
  /** How callers are let in. */
  readonly security: Pick<AgentCard, "securitySchemes" | "securityRequirements">;
}

/** A class for its card, which is made again when the agent behind the handler has another one. */
export class ServedAgent implements Agent {
  readonly id: string;
  readonly handler: Handler;
  readonly settings: AgentSettings;
  readonly extendedCard: (() => AgentCard) | undefined;
  readonly onRestart: Agent["onRestart"];
  readonly idempotencyWindowMs: number;
  readonly forwardHeaders: readonly string[];
  readonly turnTimeoutMs: number;
  readonly cancelGraceMs: number;
  readonly turns: Agent["turns"];
  readonly sharing: Agent["sharing"];
  readonly calls: Agent["calls"];
  readonly pushInterest: Agent["pushInterest"];
  readonly #security: CardParts["security"];
  #own: AgentCard | undefined;
  #card: AgentCard;
  #extended: Extended | undefined;

  /** The handler stays with the caller, who closes it. */
  constructor(id: string, settings: AgentSettings, handler: Handler, parts: CardParts) {
    const { extendedCard } = settings;
    this.id = id;
    this.handler = handler;
    this.settings = settings;
    this.extendedCard = extendedCard && (() => this.#extendedCard(extendedCard, parts));
    this.onRestart = settings.onRestart;
    this.idempotencyWindowMs = settings.idempotencyWindow;
    this.forwardHeaders = settings.forwardHeaders;
    this.turnTimeoutMs = settings.turnTimeout;
    this.cancelGraceMs = settings.cancelGrace;
    this.turns = settings.turns;
    this.sharing = settings.sharing;
    this.calls = settings.calls;
    this.pushInterest = settings.push?.events;
    this.#own = handler.card?.();
    this.#security = parts.security;
    this.#card = this.#cardOver(this.#own);
  }

  get card(): AgentCard {
    const own = this.handler.card?.();
    if (own === this.#own) return this.#card;
    this.#own = own;
    return (this.#card = this.#cardOver(own));
  }

  #cardOver(own: AgentCard | undefined): AgentCard {
    return { ...sourceCardOf(this.id, this.settings, own), ...this.#security };
  }

  /** Kept while neither the card nor the addresses change. */
  #extendedCard(extended: ExtendedCardSettings, { locationOf, keys }: CardParts): AgentCard {
    const { card: of } = this;
    const { interfaces, keySetUrl, era } = locationOf(this.id);
    if (this.#extended?.of === of && this.#extended.era === era) return this.#extended.card;
    const card = extendedCardOf(of, extended, interfaces);
    const signed =
      keys.length === 0
        ? card
        : { ...card, signatures: signaturesOf(bodyOf(card, "hybrid"), keys, keySetUrl) };
    this.#extended = { of, era, card: signed };
    return signed;
  }
}

interface Extended {
  readonly of: AgentCard;
  readonly era: object;
  readonly card: AgentCard;
}
