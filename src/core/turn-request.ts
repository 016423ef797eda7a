/** A SendMessageRequest as the turn of a task: checked against the task it names, with the ids filled in. */
import { invalidParams } from "../protocol/errors.ts";
import type { Message, SendMessageRequest, Task } from "../protocol/model.ts";
import type { Call } from "../protocol/service.ts";
import type { TaskKey } from "./event-log.ts";
import { callerOf, namesOf } from "./owner.ts";
import type { NewPushConfig } from "./push-configs.ts";
import type { Agent } from "./ports/agent.ts";
import { HOPS_HEADER, type Upstream } from "./ports/handler.ts";
import { countedAs } from "./ports/usage.ts";
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
  readonly referencedUpstreams: ReadonlyMap<string, Upstream>;
  readonly agent: Agent;
  readonly call: Call;
  readonly pushConfig: NewPushConfig | undefined;
}

export function turnRequestOf(origin: TurnOrigin): TurnRequest {
  const { request, ids, referenced, referencedUpstreams, agent, call, pushConfig } = origin;
  const { taskId, contextId, contextGiven } = ids;
  return {
    message: Object.assign({}, request.message, { taskId, contextId }),
    contextGiven,
    referencedTasks: referenced,
    referencedUpstreams,
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    blocking: request.configuration?.returnImmediately !== true,
    metadata: request.metadata,
    extensions: call.extensions,
    principal: call.principal,
    caller: callerOf(call.principal),
    hops: agent.handler.resume ? hopsIn(call.headers) : 0,
    headers: pick(call.headers, agent.forwardHeaders),
    pushConfig: pushConfig && { ...pushConfig, taskId },
  };
}

/** A turn that goes on with a task as the store has it: headers, metadata and extensions are not kept. */
export function resumptionOf(key: TaskKey, history: readonly Message[]): TurnRequest {
  const { id, owner, contextId } = key;
  const message = history.findLast(({ role }) => role === "ROLE_USER");
  return {
    message: message ?? { messageId: id, contextId, taskId: id, role: "ROLE_USER", parts: [] },
    contextGiven: true,
    referencedTasks: [],
    referencedUpstreams: NO_UPSTREAMS,
    acceptedOutputModes: [],
    blocking: false,
    metadata: undefined,
    extensions: [],
    principal: namesOf(owner),
    caller: countedAs(owner),
    hops: 0,
    headers: NOTHING,
    pushConfig: undefined,
  };
}

export const NO_UPSTREAMS: ReadonlyMap<string, Upstream> = new Map();

/** Throws INVALID_PARAMS when a message names a task and a context that the task is not in (spec 3.4). */
export function checkContext(given: string | undefined, contextId: string): void {
  if (given === undefined || given === "" || given === contextId) return;
  const description = "is not the context of the task";
  throw invalidParams([{ field: "message.contextId", description }]);
}

const NOTHING = {};

/** Counted by the gateways themselves; what is no count is none. */
function hopsIn(headers: Readonly<Record<string, string>>): number {
  const written = headers[HOPS_HEADER] ?? "";
  return /^\d{1,4}$/.test(written) ? Number(written) : 0;
}

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
