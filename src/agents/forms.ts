/** The forms in which a card is served, and which of them a request gets. */
import type { AgentCard } from "../protocol/agent-card.ts";
import { hybridCardOf, legacyCardOf } from "../wire/v0_3/card.ts";
import { majorMinorOf } from "../wire/version.ts";

/** Pure 1.0, pure 0.3, or the one that parsers of both versions read. */
export type CardForm = "1.0" | "hybrid" | "0.3";

/**
 * The form for a caller that names that version, `unversioned` for one that names none. Who says 0.3 gets the hybrid,
 * which holds all of the 0.3 card; who names any other version gets the newest card there is.
 */
export function formFor(version: string | undefined, unversioned: CardForm): CardForm {
  if (version === undefined || version.trim() === "") return unversioned;
  return majorMinorOf(version) === "0.3" ? "hybrid" : "1.0";
}

/** The card in a form; that of an agent without an interface of 0.3 has but one. */
export function bodyOf(card: AgentCard, form: CardForm): object {
  if (!speaksLegacy(card)) return card;
  switch (form) {
    case "1.0":
      return card;
    case "hybrid":
      return hybridCardOf(card);
    case "0.3":
      return legacyCardOf(card);
  }
}

function speaksLegacy({ supportedInterfaces }: AgentCard): boolean {
  return supportedInterfaces.some(({ protocolVersion }) => majorMinorOf(protocolVersion) === "0.3");
}
