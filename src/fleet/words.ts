/** What goes wrong with agents, in the words of whoever asked for it. */
import { ConfigError, type Problem } from "../config/errors.ts";
import { handlerProblem } from "../config/handler-problem.ts";
import { ListenError } from "../config/listen-at.ts";
import { AgentControlError } from "../core/ports/agent-control.ts";
import { invalid, lineOf } from "./definition.ts";
import { MemberError } from "./member.ts";

/**
 * What a change throws, as an AgentControlError: `invalid` for definitions that cannot be used, with the message where
 * there is one, and `conflict` for a port that is not to be had. Everything else is thrown as it is.
 */
export async function worded<T>(change: () => Promise<T>, message?: string): Promise<T> {
  try {
    return await change();
  } catch (thrown) {
    if (thrown instanceof MemberError) throw invalidMember(thrown, message);
    if (thrown instanceof ConfigError) {
      const problems = thrown.problems.map(({ where, path, what }) => ({
        path: [where, path].filter((part) => part !== "").join(": "),
        what,
      }));
      const options = { cause: thrown };
      throw new AgentControlError("invalid", message ?? thrown.message, problems, options);
    }
    if (ListenError.is(thrown))
      throw new AgentControlError("conflict", thrown.message, [], { cause: thrown });
    throw thrown;
  }
}

/** Why one agent cannot be served, in one line. */
export function problemOf(thrown: MemberError | ListenError | ConfigError): string {
  return thrown instanceof MemberError ? lineOf([ownProblemOf(thrown)]) : thrown.message;
}

function invalidMember(error: MemberError, message: string | undefined): AgentControlError {
  const { definition, cause } = error;
  if (message === undefined) return invalid(definition.id, [ownProblemOf(error)], cause);
  return new AgentControlError("invalid", message, [memberProblemOf(error)], { cause });
}

/** With the path below the agent's id. */
function ownProblemOf(error: MemberError): Pick<Problem, "path" | "what"> {
  const { path, what } = memberProblemOf(error);
  return { path: path.replace(`agents.${error.definition.id}.`, ""), what };
}

function memberProblemOf({
  definition: { id, config },
  cause,
}: MemberError): Pick<Problem, "path" | "what"> {
  const written = { agent: id, handler: config.handler };
  const { path, what } = handlerProblem({ whereOf: () => "" }, written, cause);
  return { path, what };
}
