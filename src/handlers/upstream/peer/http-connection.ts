/** HTTP requests to one agent, over connections that are kept for a while. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import type { Signal } from "../../cut.ts";
import { exchange } from "../../exchange.ts";
import type { Patience } from "../../step-watch.ts";
import { connectionFailure } from "./connection-failure.ts";
import { plainOf } from "./content-encoding.ts";
import type { PeerTls } from "./peer.ts";
import type { Phase } from "./peer-failure.ts";

export interface HttpMessage {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: Signal;
  readonly patience: Patience;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Seconds, of the header Retry-After. */
  readonly retryAfter: number | undefined;
  /** Decompressed, and read no faster than it is iterated. To stop early closes the connection, unless the answer ends right then. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpConnection {
  /** Follows no redirect. Rejects with a PeerFailure, and fails the body with one. */
  send(message: HttpMessage): Promise<HttpAnswer>;
  close(): void;
}

/** An idle connection is given up before the 5 seconds after which common servers close theirs. */
const KEPT = { keepAlive: true, maxFreeSockets: 64, timeout: 4_000 } as const;

export function openHttpConnection(url: URL, tls: PeerTls | undefined): HttpConnection {
  const isSecure = url.protocol === "https:";
  const agent = isSecure ? new HttpsAgent({ ...KEPT, ...tls }) : new HttpAgent(KEPT);
  const request = isSecure ? httpsRequest : httpRequest;
  const connected = isSecure ? "secureConnect" : "connect";
  // Read once: to take a URL apart costs more than to read an event.
  const { protocol, hostname, port, auth } = urlToHttpOptions(url);
  return {
    async send({ method, path, headers, body: text, signal, patience }) {
      signal.throwIfAborted();
      const sent = request({ protocol, hostname, port, auth, path, method, agent, headers });
      let phase: Phase = "connect";
      let isSent = false;
      sent.once("socket", (socket) => {
        if (sent.reusedSocket) phase = "request";
        else socket.once(connected, () => (phase = "request"));
      });
      sent.once("finish", () => (isSent = true));
      const exchanged = exchange(sent, { signal, patience, connected });
      sent.end(text);
      try {
        const { response, body } = await exchanged;
        return answerOf(response, failing(body));
      } catch (thrown) {
        throw connectionFailure(thrown, phase, isSent);
      }
    },
    close: () => agent.destroy(),
  };
}

/** A body whose failures are those of the agent. */
function failing(body: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const fail = (thrown: unknown): never => {
    throw connectionFailure(thrown, "answer", true);
  };
  return {
    next: () => body.next().catch(fail),
    return: () => body.return?.() ?? OVER,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const OVER = Promise.resolve({ done: true, value: undefined } as const);

function answerOf(response: IncomingMessage, body: AsyncIterable<Uint8Array>): HttpAnswer {
  const { headers, statusCode = 0 } = response;
  return {
    status: statusCode,
    contentType: (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    retryAfter: secondsOf(headers["retry-after"]),
    body: plainOf(body, headers["content-encoding"] ?? ""),
  };
}

/** Retry-After is a number of seconds or a date. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
