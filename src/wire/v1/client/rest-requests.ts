/** Requests to agents of 1.0 on HTTP+JSON (spec 11.3): what the path says is not said again in the body. */
import type { SendMessageRequest } from "../../../protocol/model.ts";
import type { Encoders } from "../../client-codecs.ts";
import type { ClientHttpRequest } from "../../client.ts";

export const restRequests: Encoders<ClientHttpRequest> = {
  sendMessage: (request) => sendTo("/message:send", request),
  sendStreamingMessage: (request) => sendTo("/message:stream", request),
  getTask({ tenant, id, historyLength }) {
    const query = historyLength === undefined ? "" : `?historyLength=${historyLength}`;
    return { method: "GET", path: taskPath(tenant, id) + query, body: undefined };
  },
  cancelTask: ({ tenant, id, metadata }) => ({
    method: "POST",
    path: `${taskPath(tenant, id)}:cancel`,
    body: JSON.stringify({ metadata }),
  }),
  // The specification has POST, its protobuf GET; servers take both.
  subscribeToTask: ({ tenant, id }) => ({
    method: "POST",
    path: `${taskPath(tenant, id)}:subscribe`,
    body: undefined,
  }),
};

function sendTo(
  path: string,
  { tenant, message, configuration, metadata }: SendMessageRequest,
): ClientHttpRequest {
  const body = JSON.stringify({ message, configuration, metadata });
  return { method: "POST", path: tenantPath(tenant) + path, body };
}

function taskPath(tenant: string | undefined, id: string): string {
  return `${tenantPath(tenant)}/tasks/${encodeURIComponent(id)}`;
}

function tenantPath(tenant = ""): string {
  return tenant === "" ? "" : `/${encodeURIComponent(tenant)}`;
}
