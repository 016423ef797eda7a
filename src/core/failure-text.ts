/**
 * What a failed task tells its caller about a thrown error: the first line of its message, which is the agent author's
 * to choose, and never a stack. Errors that carry a code are the system's or Node's, whose messages name files and
 * addresses: the code is all that leaves the house.
 */
import { A2AError } from "../protocol/errors.ts";

const MAX_LENGTH = 300;

export function failureTextOf(thrown: unknown): string {
  if (A2AError.is(thrown)) return A2AError.from(thrown).message;
  if (!(thrown instanceof Error)) return "the agent failed";
  if ("code" in thrown) return `the agent failed: ${String(thrown.code)}`;
  const [firstLine = ""] = thrown.message.split("\n");
  return firstLine ? `the agent failed: ${firstLine.slice(0, MAX_LENGTH)}` : "the agent failed";
}
