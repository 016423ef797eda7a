/** What a failed task tells its caller about a thrown error: the cause, but no stack, path or secret. */
import { A2AError } from "../protocol/errors.ts";

const MAX_LENGTH = 300;

export function failureTextOf(thrown: unknown): string {
  if (A2AError.is(thrown)) return thrown.message;
  if (!(thrown instanceof Error)) return "the agent failed";
  // Errors of the system name files and addresses: their code is all that leaves the house.
  if ("syscall" in thrown && "code" in thrown) return `the agent failed: ${String(thrown.code)}`;
  const [firstLine = ""] = thrown.message.split("\n");
  return firstLine ? `the agent failed: ${firstLine.slice(0, MAX_LENGTH)}` : "the agent failed";
}
