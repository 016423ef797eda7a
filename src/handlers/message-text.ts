import type { Turn } from "../core/ports/handler.ts";

/** The text parts of the turn's message, joined by a newline. */
export function messageText(turn: Turn): string {
  const { parts } = turn.message;
  if (parts.length === 1) return parts[0]?.text ?? "";
  return parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}
