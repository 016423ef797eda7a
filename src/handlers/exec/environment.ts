/** The environment of a program: little of the gateway's own, which may hold secrets. */
import type { Turn } from "../../core/ports/handler.ts";

const INHERITED = ["PATH", "HOME", "LANG"] as const;

/** What comes from callers is left out when it is longer: programs cannot be started with it. It is in the event. */
const MAX_LENGTH = 4096;

export type Environment = Readonly<Record<string, string>>;

export function fixedEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  configured: Environment = {},
): Environment {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...configured };
}

export function environmentOf(turn: Turn, fixed: Environment): Environment {
  const environment = { ...fixed };
  const ofTurn = {
    A2A_AGENT: turn.agent,
    A2A_TASK_ID: turn.taskId,
    A2A_CONTEXT_ID: turn.contextId,
    A2A_MESSAGE_ID: turn.message.messageId,
  };
  for (const [name, value] of Object.entries(ofTurn)) {
    if (value.length <= MAX_LENGTH && !value.includes("\0")) environment[name] = value;
  }
  return environment;
}
