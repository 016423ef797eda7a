/**
 * The texts that a signature over a card may be made of. The specification knows one (8.4.1). The SDKs of 1.0 drop
 * empty members that it keeps, the one of 0.3 signs the members of that version in a notation of its own; a card
 * whose texts differ is signed in each, since a verifier is content with one signature that it can check.
 */
import canonicalize from "canonicalize";
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { openSchema, type MessageSchema } from "../../wire/schema.ts";
import { legacyText } from "./legacy-text.ts";
import { withoutEmpty } from "./without-empty.ts";

export type TextForm = "1.0" | "1.0, without empty members" | "0.3";

/** The signed text of a card in JSON; a card of both versions has all forms. Throws an A2AError for what is no card. */
export const TEXTS: Readonly<Record<TextForm, (card: JsonObject) => string>> = {
  "1.0": (card) => textOf(contentOf(card)),
  "1.0, without empty members": (card) => textOf(withoutEmpty(contentOf(card)) ?? {}),
  "0.3": legacyText,
};

let schema: MessageSchema<AgentCard> | undefined;

/**
 * The members of 1.0 as the protobuf means them: an optional one that was set stays whatever its value, a required
 * one stays even when empty, of the others those with their default value go, and so do those that 1.0 does not know.
 */
function contentOf(card: JsonObject): JsonObject {
  schema ??= openSchema("a2a/v1/a2a.proto").message<AgentCard>("lf.a2a.v1.AgentCard");
  const { signatures: _, ...content } = schema.decode(card, "lenient");
  return content as unknown as JsonObject;
}

/** RFC 8785. */
function textOf(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("a card is an object");
  return text;
}
