/** One HTTP request and its answer, each step of them within its time. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Signal } from "./cut.ts";
import { ResponseBody } from "./response-body.ts";
import { watchSteps, type Patience } from "./step-watch.ts";

export interface Exchange {
  /** Aborted, it cuts the connection, in the middle of the answer too. */
  readonly signal: Signal;
  readonly patience: Patience;
  /** What the socket emits when it can be written to. */
  readonly connected: "connect" | "secureConnect";
}

export interface Exchanged {
  readonly response: IncomingMessage;
  /** Read no faster than it is iterated. To stop early closes the connection, unless the answer ends right then. */
  readonly body: AsyncIterableIterator<Uint8Array>;
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
    let body: ResponseBody | undefined;
    // Destroyed after the head, the request would throw away what has come.
    const cut = (reason: Error) => (body ?? request).destroy(reason);
    const watch = watchSteps(patience, cut);
    const onAbort = () => cut(errorOf(signal.reason));
    const release = () => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort);
    request.once("socket", (socket) => {
      if (request.reusedSocket) return watch.begin("head");
      watch.begin("connect");
      socket.once(connected, () => watch.begin("head"));
    });
    request.once("response", (response) => {
      watch.end();
      // A body that is dropped half-read reports that as an error, to nobody.
      response.on("error", () => {});
      body = new ResponseBody(response, watch, release);
      resolve({ response, body });
    });
    // An error after the head is the body's too, which tells its reader.
    request.on("error", reject);
    request.once("close", () => {
      if (body !== undefined) return;
      watch.end();
      release();
      // Such as an upgrade, which nobody asked for.
      reject(Object.assign(new Error("closed without an answer"), { code: "ECONNRESET" }));
    });
  });
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
