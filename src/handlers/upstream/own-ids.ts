import type { Turn } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";

/** Where a task is at the agent, as far as that is known. */
interface There {
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
}

/** What things are called here, by what the agent calls them. */
export function ownNamesOf(turn: Turn, { taskId, contextId }: There): ReadonlyMap<string, string> {
  const names = new Map([...turn.referencedUpstreams].map(([id, there]) => [there.taskId, id]));
  if (contextId !== undefined && turn.contextGiven) names.set(contextId, turn.contextId);
  if (taskId !== undefined) names.set(taskId, turn.taskId);
  return names;
}

/** An error with the ids that things have here, whatever they are called at the agent: by the agent's ids. */
export function inOwnIds(thrown: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!A2AError.is(thrown)) return thrown;
  const error = A2AError.from(thrown);
  const { reason, message, violations, metadata, retryAfter, reported } = error;
  const told = renamed(message, names);
  const violated = violations.map(({ field, description }) => ({
    field,
    description: renamed(description, names),
  }));
  const isSame = violated.every(
    ({ description }, index) => description === violations[index]?.description,
  );
  if (told === message && isSame) return thrown;
  return new A2AError(reason, told, {
    violations: violated,
    metadata,
    reported,
    cause: thrown,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Whole words: agents may call a task `1`. */
function renamed(text: string, names: ReadonlyMap<string, string>): string {
  let told = text;
  for (const [there, here] of names) {
    if (there === "" || there === here || !told.includes(there)) continue;
    const word = there.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    told = told.replace(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, "g"), () => here);
  }
  return told;
}
