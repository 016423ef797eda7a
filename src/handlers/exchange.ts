/** One HTTP request and its answer, each step of them within its time. */
import type { ClientRequest, IncomingMessage } from "node:http";
import { watchSteps, type Patience, type StepWatch } from "./step-watch.ts";

export interface Exchange {
  /** Aborted, it cuts the connection, in the middle of the answer too. */
  readonly signal: AbortSignal;
  readonly patience: Patience;
  /** What the socket emits when it can be written to. */
  readonly connected: "connect" | "secureConnect";
}

export interface Exchanged {
  readonly response: IncomingMessage;
  /** Read no faster than it is iterated. To stop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The answer to a request that is being sent. Rejects, or fails the body, with the error of a connection that fails or
 * of a step that takes too long, or with the signal's reason.
 */
export function exchange(
  request: ClientRequest,
  { signal, patience, connected }: Exchange,
): Promise<Exchanged> {
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
      resolve({ response, body: bodyOf(response, watch) });
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
