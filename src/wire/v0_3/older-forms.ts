/** What was made of a ready-made text for callers of 0.3: each form is kept with the text once it was made. */
import type { KeepsForms } from "../../protocol/ready-made.ts";

export interface OlderForms {
  /** The members as JSON-RPC writes them. */
  text?: string;
  /** The members as HTTP+JSON writes them. */
  json?: string;
  bytes?: Uint8Array;
  /** The forms of an event for the stream that ends with it, where they differ: 0.3 marks the last event of a stream. */
  ending?: Omit<OlderForms, "ending">;
}

export function olderFormsOf(text: KeepsForms): OlderForms {
  return (text.older ??= {}) as OlderForms;
}
