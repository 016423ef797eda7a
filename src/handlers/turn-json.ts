/**
 * The turn as programs and HTTP endpoints get it:
 *
 *     {
 *       "type": "a2a_message",
 *       "agent": "weather",                  the agent's id in the configuration
 *       "taskId": "…",                       the id that the task has, or will have
 *       "contextId": "…",
 *       "contextGiven": true,                false: made by the gateway for this turn
 *       "message": {…},                      the message to answer, as A2A 1.0 JSON
 *       "task": {…},                         the task so far; absent on the first turn
 *       "referencedTasks": [{…}],            the tasks that the message refers to
 *       "acceptedOutputModes": ["text/plain"],
 *       "metadata": {…},                     of the request; absent when it had none
 *       "extensions": ["https://…"],         URIs that the caller activated
 *       "headers": {"x-request-id": "…"},    the caller's, of those that the configuration lets through
 *       "principal": {"id": "…", "tenant": "…"}   who calls; an empty id when nobody has to say so, a tenant where there is one
 *     }
 */
import type { Turn } from "../core/ports/handler.ts";
import type { JsonObject } from "../protocol/json.ts";

export function turnJson(turn: Turn): string {
  return JSON.stringify({
    type: "a2a_message",
    agent: turn.agent,
    taskId: turn.taskId,
    contextId: turn.contextId,
    contextGiven: turn.contextGiven,
    message: turn.message,
    task: turn.task,
    referencedTasks: turn.referencedTasks,
    acceptedOutputModes: turn.acceptedOutputModes,
    metadata: turn.metadata,
    extensions: turn.extensions,
    headers: turn.headers,
    principal: principalOf(turn),
  });
}

function principalOf({ principal: { id, tenant } }: Turn): object {
  return tenant === "" ? { id } : { id, tenant };
}

/** What `cancelUrl` is told; `metadata` is that of the cancel request. */
export function cancelJson(turn: Turn, metadata: JsonObject | undefined): string {
  const { agent, taskId, contextId } = turn;
  return JSON.stringify({
    type: "a2a_cancel",
    agent,
    taskId,
    contextId,
    messageId: turn.message.messageId,
    metadata,
  });
}
