/** A receiver of webhooks that keeps what it gets and answers as it is told. */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  readonly remotePort: number | undefined;
}

export type Respond = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Resolves once it has got so many. */
  has(count: number): Promise<void>;
  close(): Promise<void>;
}

export const respondWith =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end();

/** The answer that never comes. */
export const hang: Respond = () => undefined;

/** @param tls of a receiver that is reached over https */
export async function startReceiver(
  respond: Respond = respondWith(204),
  tls?: ServerOptions,
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const listener: RequestListener = (request, response) => {
    void textOf(request).then(
      (text) => {
        const { method, url: path, headers, rawHeaders, socket } = request;
        const one = { method, path, headers, rawHeaders, text, remotePort: socket.remotePort };
        received.push(one);
        for (const look of waiting) look();
        respond(response, one);
      },
      () => undefined,
    );
  };
  const server: Server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://localhost:${port}/hook`,
    port,
    received,
    has: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
