/** The answers to what Node would answer by itself, or to what never became a request: in JSON, as all others are. */
import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { cutSoon } from "./linger.ts";
import { SAFE_PAIRS } from "./safe-headers.ts";

/**
 * The answer as it goes over the connection, which ends after it. `hsts` is the value of `Strict-Transport-Security`;
 * undefined: the header is not sent.
 */
export function refusalText(status: number, message: string, hsts?: string): string {
  const { headers, body } = refusalOf(status, message, hsts);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`;
}

/**
 * Has a server's requests answered by the handler, and by a refusal those that Node would refuse by itself: of a strange
 * expectation, and without a host. `requireHostHeader` has to be off.
 */
export function answerAll(server: Server, handler: RequestListener, hsts?: string): void {
  server.on("checkExpectation", (_, response: ServerResponse) =>
    refuse(response, [417, "only 100-continue is expected here"], hsts),
  );
  server.on("request", (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1")
      handler(request, response);
    else refuse(response, [400, "the request has no host"], hsts);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket & AnsweringSocket) => {
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    const [status, message] = BROKEN[error.code ?? ""] ?? [400, "the request is not valid HTTP"];
    socket.end(refusalText(status, message, hsts));
    cutSoon(socket);
  });
}

/** Node keeps the answer under way here; its documentation of `clientError` says so. */
interface AnsweringSocket {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/** Requests that never became one. */
const BROKEN: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request took too long to arrive"],
};

function refuse(
  response: ServerResponse,
  [status, message]: readonly [status: number, message: string],
  hsts: string | undefined,
): void {
  const { headers, body } = refusalOf(status, message, hsts);
  for (const [name, value] of headers) response.setHeader(name, value);
  response.writeHead(status).end(body);
}

interface Refusal {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

function refusalOf(code: number, message: string, hsts: string | undefined): Refusal {
  const body = JSON.stringify({ error: { code, status: "INVALID_ARGUMENT", message } });
  return {
    headers: [
      ["Content-Type", "application/json"],
      ["Content-Length", String(Buffer.byteLength(body))],
      ["Cache-Control", "no-store"],
      ...SAFE_PAIRS,
      ["Connection", "close"],
      ...(hsts === undefined ? [] : [["Strict-Transport-Security", hsts] as const]),
    ],
    body,
  };
}
