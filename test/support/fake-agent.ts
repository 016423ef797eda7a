/** A remote agent over HTTP that answers as a script says: wrongly, late, in pieces, or not at all. */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";

export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What it writes to the socket of `response` goes out unframed. */
export type Script = (response: ServerResponse, received: Received) => void;

export interface FakeAgent {
  readonly url: string;
  /** Every request, in the order of their arrival. */
  readonly received: readonly Received[];
  /** How many connections have been made to it. */
  connections(): number;
  /** Resolves when none is open. */
  deserted(): Promise<void>;
  /** Cuts every connection, and refuses further ones. */
  leave(): Promise<void>;
  /** At the address that it had before it left. */
  comeBack(): Promise<void>;
}

/** In PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** It ends with the test. With an identity, it is called over TLS. */
export async function fakeAgent(
  context: TestContext,
  script: Script,
  identity?: Identity,
): Promise<FakeAgent> {
  const received: Received[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      received.push({ method, url, headers, body });
      script(response, { method, url, headers, body });
    });
  };
  const server = identity ? createSecureServer(identity, onRequest) : createServer(onRequest);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      server.emit("left");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${identity ? "https" : "http"}://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async deserted() {
      while (sockets.size > 0) await once(server, "left");
    },
    async leave() {
      const closed = once(server.close(), "close");
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async comeBack() {
      await once(server.listen(port, "127.0.0.1"), "listening");
    },
  };
}
