/** POST requests to one URL, over connections that are kept for a while. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { exchange } from "../exchange.ts";
import type { Patience } from "../step-watch.ts";

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborted, it cuts the connection, in the middle of the answer too. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Read no faster than it is iterated. To stop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Endpoint {
  /** Follows no redirect. Rejects, or fails the body, with the error of a connection that fails or of a step that takes too long. */
  post(post: Post): Promise<Answer>;
  /** Cuts every connection. */
  close(): void;
}

/**
 * As many connections as there are turns at a time, which `limits.runningTasks` bounds. An idle one is given up before
 * the 5 seconds after which common servers close theirs: a turn sent into such a closing would be lost.
 */
const CONNECTIONS = { keepAlive: true, maxFreeSockets: 64, timeout: 4_000 } as const;

export function openEndpoint(url: string, patience: Patience): Endpoint {
  const isSecure = new URL(url).protocol === "https:";
  const agent = isSecure ? new HttpsAgent(CONNECTIONS) : new HttpAgent(CONNECTIONS);
  const request = isSecure ? httpsRequest : httpRequest;
  const connected = isSecure ? "secureConnect" : "connect";
  return {
    async post({ headers: given, body: text, signal }) {
      signal.throwIfAborted();
      const headers = { ...given, "content-length": Buffer.byteLength(text) };
      const sent = request(url, { method: "POST", agent, headers });
      const exchanged = exchange(sent, { signal, patience, connected });
      sent.end(text);
      const { response, body } = await exchanged;
      return {
        status: response.statusCode ?? 0,
        contentType: response.headers["content-type"] ?? "",
        body,
      };
    },
    close: () => agent.destroy(),
  };
}
