/** A turn's message as the remote agent gets it: with its own ids in every field that carries one. */
import type { Turn } from "../../core/ports/handler.ts";
import type { Message, SendMessageRequest } from "../../protocol/model.ts";

export function sendRequestOf(turn: Turn): SendMessageRequest {
  const { acceptedOutputModes, blocking, metadata } = turn;
  return {
    message: messageOf(turn),
    configuration: {
      ...(acceptedOutputModes.length > 0 && { acceptedOutputModes }),
      returnImmediately: !blocking,
    },
    ...(metadata && { metadata }),
  };
}

/** A context that only this side has made is not told: the agent makes its own. */
function messageOf({
  message,
  upstream,
  referencedUpstreams,
  contextGiven,
  contextId: here,
}: Turn): Message {
  const { taskId: _, contextId: __, referenceTaskIds, ...rest } = message;
  const contextId = upstream?.contextId ?? (contextGiven ? here : undefined);
  // Tasks that the agent does not know have no name that it could be told.
  const references = referenceTaskIds?.flatMap((id) => referencedUpstreams.get(id)?.taskId ?? []);
  return {
    ...rest,
    ...(contextId !== undefined && { contextId }),
    ...(upstream && { taskId: upstream.taskId }),
    ...(references && references.length > 0 && { referenceTaskIds: references }),
  };
}
