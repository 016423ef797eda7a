/**
 * The texts that a signature over a card may be made of. The specification knows one (8.4.1). The SDKs of 1.0 drop
 * empty members that it keeps, the one of 0.3 signs the members of that version in a notation of its own; a card
 * whose texts differ is signed in each, since a verifier is content with one signature that it can check.
 */
import canonicalize from "canonicalize";
import type { AgentCard } from "../../protocol/agent-card.ts";
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { openSchema, type MessageSchema } from "../../wire/schema.ts";
import { withRequirements } from "../../wire/v0_3/security.ts";
import { legacyText } from "./legacy-text.ts";
import { omissionsOf } from "./omissions.ts";
import { withoutEmpty } from "./without-empty.ts";

export type TextForm = "1.0" | "1.0, without empty members" | "0.3";

export interface CardText {
  readonly form: TextForm;
  readonly text: string;
  /** What of the card it says nothing of, though it matters. */
  readonly omits: readonly string[];
}

/** The signed text of a card in JSON; a card of both versions has all forms. Throws for what is no card of its version. */
export const TEXTS: Readonly<Record<TextForm, (card: JsonObject) => CardText>> = {
  "1.0": (card) => ({ form: "1.0", text: textOf(contentOf(card)), omits: [] }),
  "1.0, without empty members": (card) => {
    const content = contentOf(card);
    return {
      form: "1.0, without empty members",
      text: textOf(withoutEmpty(content) ?? {}),
      omits: omissionsOf(content),
    };
  },
  "0.3": (card) => ({ form: "0.3", text: legacyText(card), omits: [] }),
};

export const FORMS = Object.keys(TEXTS) as readonly TextForm[];

let schema: MessageSchema<AgentCard> | undefined;

/**
 * The members of 1.0 as the protobuf means them: an optional one that was set stays whatever its value, a required
 * one stays even when empty, of the others those with their default value go, and so do those that 1.0 does not know.
 */
function contentOf(card: JsonObject): JsonObject {
  schema ??= openSchema("a2a/v1/a2a.proto").message<AgentCard>("lf.a2a.v1.AgentCard");
  const { signatures: _, ...content } = schema.decode(withRequirements(card), "lenient");
  return content as unknown as JsonObject;
}

/** RFC 8785. */
function textOf(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("a card is an object");
  return text;
}
