/** HTTP requests that may be as wrong as a test wants them, and a reader of event streams. */
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** What the client trusts and shows, in PEM, at a port that speaks TLS. */
  readonly tls?: HttpTls;
}

export interface HttpTls {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

const agent = new Agent({ keepAlive: false });
const secureAgent = new SecureAgent({ keepAlive: false });

/** Sends a request and resolves with the answer's head; the body is still to be read. */
export function openHttp(port: number, asked: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = "GET", path = "/", headers = {}, body, signal, tls } = asked;
    const outgoing = (tls ? requestSecurely : request)({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: headers as Record<string, string>,
      agent: tls ? secureAgent : agent,
      ...tls,
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.on("response", resolve).on("error", reject);
    outgoing.end(body);
  });
}

export async function sendHttp(port: number, asked: HttpRequest): Promise<HttpAnswer> {
  const incoming = await openHttp(port, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text: Buffer.concat(chunks).toString(),
  };
}

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of an answer; comments are passed over. */
export async function* eventsOf(incoming: IncomingMessage): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) {
    rest += chunk as string;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { id: field("id"), data: field("data") ?? "" };
    }
  }
}
