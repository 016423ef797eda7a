/** POST requests to one URL, over connections that are kept for a while. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { watchSteps, type Patience, type StepWatch } from "./step-watch.ts";

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
    async post({ headers: given, body, signal }) {
      signal.throwIfAborted();
      const headers = { ...given, "content-length": Buffer.byteLength(body) };
      const sent = request(url, { method: "POST", agent, headers });
      const answer = answerTo(sent, { signal, patience, connected });
      sent.end(body);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

interface Exchange {
  readonly signal: AbortSignal;
  readonly patience: Patience;
  /** What the socket emits when it can be written to. */
  readonly connected: string;
}

function answerTo(
  request: ClientRequest,
  { signal, patience, connected }: Exchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let cuttable: ClientRequest | IncomingMessage = request;
    const watch = watchSteps(patience, (late) => cuttable.destroy(late));
    const onAbort = () => cuttable.destroy(errorOf(signal.reason));
    signal.addEventListener("abort", onAbort);
    request.once("socket", (socket) => {
      if (request.reusedSocket) return watch.begin("head");
      watch.begin("connect");
      socket.once(connected, () => watch.begin("head"));
    });
    request.once("response", (response) => {
      watch.end();
      // Destroyed after the head, the request would throw away what has come.
      cuttable = response;
      // A body that is dropped half-read reports that as an error, to nobody.
      response.on("error", () => {});
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers["content-type"] ?? "",
        body: bodyOf(response, watch),
      });
    });
    // An error after the head is the body's too, which tells its reader.
    request.on("error", reject);
    request.once("close", () => {
      watch.end();
      signal.removeEventListener("abort", onAbort);
      // Such as an upgrade, which nobody asked for.
      reject(Object.assign(new Error("closed without an answer"), { code: "ECONNRESET" }));
    });
  });
}

/** The time that the reader takes is not the endpoint's. */
async function* bodyOf(response: IncomingMessage, watch: StepWatch): AsyncGenerator<Uint8Array> {
  try {
    watch.begin("idle");
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      watch.end();
      yield chunk;
      watch.begin("idle");
    }
  } finally {
    watch.end();
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
