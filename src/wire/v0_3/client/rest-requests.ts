/** Requests to agents of 0.3 on HTTP+JSON (spec 0.3, 3.5.6). */
import type { SendMessageRequest } from "../../../protocol/model.ts";
import type { Encoders } from "../../client-codecs.ts";
import type { ClientHttpRequest } from "../../client.ts";
import { nameOfTask } from "../names.ts";
import { protoSendRequestOf } from "./proto-requests.ts";

export const restRequests: Encoders<ClientHttpRequest> = {
  sendMessage: (request) => sendTo("/v1/message:send", request),
  sendStreamingMessage: (request) => sendTo("/v1/message:stream", request),
  getTask({ id, historyLength }) {
    const query = historyLength === undefined ? "" : `?historyLength=${historyLength}`;
    return { method: "GET", path: taskPath(id) + query, body: undefined };
  },
  // The protobuf's request is the body; it has no metadata.
  cancelTask: ({ id }) => ({
    method: "POST",
    path: `${taskPath(id)}:cancel`,
    body: JSON.stringify({ name: nameOfTask(id) }),
  }),
  // The specification has POST, its protobuf GET. Servers that take one of them only take GET.
  subscribeToTask: ({ id }) => ({
    method: "GET",
    path: `${taskPath(id)}:subscribe`,
    body: undefined,
  }),
};

/** `message` is the JSON name of the protobuf's field `request`; parsers refuse members that they do not know. */
function sendTo(path: string, request: SendMessageRequest): ClientHttpRequest {
  return { method: "POST", path, body: JSON.stringify(protoSendRequestOf(request)) };
}

function taskPath(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`;
}
