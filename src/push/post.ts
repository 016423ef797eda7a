/** One POST to a receiver, over connections that are kept for a while. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { rootCertificates } from "node:tls";
import { RefusedAddressError, type AddressGuard } from "./address-guard.ts";
import type { HeaderFields } from "./headers.ts";

export interface Post {
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: string;
  /** Aborted, it cuts the connection. */
  readonly signal: AbortSignal;
}

export type Reply =
  /** The head of an answer has come; what becomes of its body changes nothing. */
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: "failed"; readonly problem: string }
  /** There is no address that it may be sent to. */
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "aborted" };

export interface Poster {
  /** Follows no redirect. Resolves when nothing more is sent or read. */
  post(message: Post): Promise<Reply>;
  close(): void;
}

export interface PosterSettings {
  readonly lookup: AddressGuard["lookup"];
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  readonly connectionsPerHost: number;
  /** Certificates in PEM that are trusted beside those that Node knows. */
  readonly ca: string | undefined;
}

/** An idle connection is given up before the 5 seconds after which common servers close theirs. */
const KEPT_MS = 4_000;
/** Bytes of an answer that are read to keep the connection; nobody looks at them. */
const MOST_READ = 64 * 1024;

export function openPoster({ lookup, timeout, connectionsPerHost, ca }: PosterSettings): Poster {
  const kept = {
    keepAlive: true,
    timeout: KEPT_MS,
    maxSockets: connectionsPerHost,
    maxFreeSockets: connectionsPerHost,
    lookup,
  };
  const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const http = new HttpAgent(kept);
  const https = new HttpsAgent({ ...kept, ...tls });

  function begin({ url, headers }: Post, isFresh: boolean): ClientRequest {
    const isSecure = url.protocol === "https:";
    if (!isFresh)
      return isSecure
        ? httpsRequest(url, { method: "POST", headers, agent: https })
        : httpRequest(url, { method: "POST", headers, agent: http });
    const options = { method: "POST", headers, agent: false, lookup } as const;
    return isSecure ? httpsRequest(url, { ...options, ...tls }) : httpRequest(url, options);
  }

  return {
    async post(message) {
      const deadline = performance.now() + timeout;
      const first = await exchange(begin(message, false), message, timeout);
      // Most likely the receiver had closed a connection that was kept. It may have read the request all the same: then
      // it gets it twice, which "at least once" allows.
      if (!first.isStale) return first.reply;
      const rest = Math.max(1, deadline - performance.now());
      return (await exchange(begin(message, true), message, rest)).reply;
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

interface Exchanged {
  readonly reply: Reply;
  /** Whether a connection that was kept was cut before anything of an answer came. */
  readonly isStale: boolean;
}

/** Node keeps the timers of one length in one list, so that one for each exchange costs next to nothing. */
function exchange(
  request: ClientRequest,
  { body, signal }: Post,
  patience: number,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let reply: Reply | undefined;
    let isStale = false;
    let readBefore = 0;
    const end = (because: Reply): void => {
      reply ??= because;
      request.destroy();
    };
    const onAbort = (): void => end({ kind: "aborted" });
    const timer = setTimeout(() => end({ kind: "failed", problem: "no answer in time" }), patience);
    signal.addEventListener("abort", onAbort);
    request.once("socket", ({ bytesRead }) => {
      readBefore = bytesRead;
    });
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      reply ??= { kind: "answered", status, retryAfter: headers["retry-after"] };
      let read = 0;
      response.on("data", (chunk: Uint8Array) => {
        read += chunk.length;
        if (read > MOST_READ) request.destroy();
      });
      // The status has told everything.
      response.on("error", () => {});
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isUnanswered = reply === undefined && request.socket?.bytesRead === readBefore;
      isStale = isUnanswered && request.reusedSocket && STALE.has(error.code ?? "");
      reply ??= RefusedAddressError.is(error)
        ? { kind: "refused", problem: error.message }
        : { kind: "failed", problem: problemOf(error) };
    });
    request.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      // Such as an upgrade, which nobody asked for.
      resolve({ reply: reply ?? { kind: "failed", problem: "closed without an answer" }, isStale });
    });
    if (signal.aborted) onAbort();
    else request.end(body);
  });
}

const STALE: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the host cannot be reached",
  ENOTFOUND: "the host cannot be found",
  EAI_AGAIN: "the host cannot be found now",
};

function problemOf({ code = "", message }: NodeJS.ErrnoException): string {
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (code.startsWith("HPE_")) return "the answer is no HTTP";
  return code === "" ? message.slice(0, 200) : `the connection failed (${code})`;
}
