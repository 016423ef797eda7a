/** A turn's message as the remote agent gets it: with its own ids in every field that carries one. */
import type { Turn } from "../../core/ports/handler.ts";
import { invalidParams } from "../../protocol/errors.ts";
import type { Message, SendMessageRequest } from "../../protocol/model.ts";

/** Throws INVALID_PARAMS for a file that is said to be at an empty address, which agents take for many things. */
export function sendRequestOf(turn: Turn): SendMessageRequest {
  const { acceptedOutputModes, metadata } = turn;
  const nowhere = turn.message.parts.findIndex(({ url }) => url === "");
  if (nowhere >= 0)
    throw invalidParams([{ field: `message.parts[${nowhere}].url`, description: "is empty" }]);
  return {
    message: messageOf(turn),
    configuration: acceptedOutputModes.length > 0 ? { acceptedOutputModes } : {},
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
