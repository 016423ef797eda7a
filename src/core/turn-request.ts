/** A SendMessageRequest as the turn of a task: checked against the task it names, with the ids filled in. */
import { invalidParams } from "../protocol/errors.ts";
import type { SendMessageRequest, Task } from "../protocol/model.ts";
import type { Call } from "../protocol/service.ts";
import type { Agent } from "./ports.ts";
import type { TurnRequest } from "./turn.ts";

export interface TurnIds {
  readonly taskId: string;
  readonly contextId: string;
  readonly contextGiven: boolean;
}

export interface TurnOrigin {
  readonly request: SendMessageRequest;
  readonly ids: TurnIds;
  readonly referenced: readonly Task[];
  readonly agent: Agent;
  readonly call: Call;
}

export function turnRequestOf({ request, ids, referenced, agent, call }: TurnOrigin): TurnRequest {
  const { taskId, contextId, contextGiven } = ids;
  return {
    message: Object.assign({}, request.message, { taskId, contextId }),
    contextGiven,
    referencedTasks: referenced,
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    metadata: request.metadata,
    extensions: call.extensions,
    principal: call.principal,
    headers: pick(call.headers, agent.forwardHeaders),
  };
}

/** Throws INVALID_PARAMS when a message names a task and a context that the task is not in (spec 3.4). */
export function checkContext(given: string | undefined, contextId: string): void {
  if (given === undefined || given === "" || given === contextId) return;
  const description = "is not the context of the task";
  throw invalidParams([{ field: "message.contextId", description }]);
}

const NOTHING = {};

function pick(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  if (names.length === 0) return NOTHING;
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
