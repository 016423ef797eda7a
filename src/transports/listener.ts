/** One port for all bindings: HTTP/2 goes to gRPC, everything else to the HTTP doors. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Connections } from "./connections.ts";
import { cutSoon } from "./linger.ts";
import { createPrefaceSorter } from "./preface.ts";
import { limitPipelines } from "./pipeline.ts";
import { answerAll } from "./refusal.ts";

export interface ListenerOptions {
  readonly http: RequestListener;
  readonly grpc: {
    inject(connection: Socket): void;
    stop(graceMs: number): Promise<void>;
  };
  /** Opens the gate that connections come through; without one they come as they are. */
  readonly gate?: OpenGate;
  /** The value of `Strict-Transport-Security` where connections are encrypted; undefined: the header is not sent. */
  readonly hsts?: string | undefined;
  readonly limits: ListenerLimits;
  readonly connections: Connections;
}

/** What a connection may take. Durations are milliseconds; none of them limits how long an answer may take. */
export interface ListenerLimits {
  /** From the start of a connection to the preface of HTTP/2, or of a request to the end of its head. */
  readonly headTimeout: number;
  /** From the start of a request to its end. */
  readonly requestTimeout: number;
  /** From the end of an answer to the next request. */
  readonly idleTimeout: number;
  /** The largest head of a request, in bytes. */
  readonly headBytes: number;
  /** Calls that are under way on a connection at a time. */
  readonly streams: number;
}

/** Encrypts connections that agree on one of the protocols, by preference, and hands them on. */
export type OpenGate = (
  protocols: readonly string[],
  secured: (connection: TLSSocket) => void,
) => {
  add(connection: Socket): void;
  stop(): void;
};

export interface Listener {
  /** Resolves with the address that was bound: port 0 takes any free one. */
  listen(address: { readonly host: string; readonly port: number }): Promise<AddressInfo>;
  /** Takes no new connections, lets the calls under way end for that long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

/** HTTP/1.1 for whoever can speak it: what is left speaks HTTP/2 alone, as gRPC does. */
const PROTOCOLS = ["http/1.1", "h2"];

const IDLE_POLL_MS = 50;
/** How often slow requests are looked for at least. */
const SLOW_POLL_MS = 5_000;

export function createListener(options: ListenerOptions): Listener {
  const { limits, connections } = options;
  const server = httpServer(options);
  const [http] = server.listeners("connection") as [(connection: Socket) => void];
  const http2Connections = new Set<Socket>();
  const sorter = createPrefaceSorter({
    timeoutMs: limits.headTimeout,
    http1,
    http2: (connection) => (hasAgreedOnHttp1(connection) ? http1(connection) : http2(connection)),
  });
  const gate = options.gate?.(PROTOCOLS, (connection) => {
    if (connection.alpnProtocol === "h2") http2(connection);
    // Node's HTTP/1.1 would keep one that says nothing for as long as it takes a stop to end.
    else sorter.add(connection);
  });
  function http1(connection: Socket): void {
    http.call(server, connection);
  }
  function http2(connection: Socket): void {
    http2Connections.add(connection);
    // A peer that ends is gone. Left to itself, HTTP/2 keeps the connection for ever when a body was not read.
    connection.on("end", cut).on("finish", finished).on("close", forget);
    // Node's HTTP/2 refuses an encrypted connection that did not agree on it.
    if (connection instanceof TLSSocket) connection.alpnProtocol = "h2";
    options.grpc.inject(connection);
  }
  function forget(this: Socket): void {
    http2Connections.delete(this);
  }
  server.removeAllListeners("connection");
  const entrance = gate ?? sorter;
  server.on("connection", (socket: Socket) => {
    if (connections.admit(socket)) entrance.add(socket);
  });
  return {
    listen: (address) => listening(server, address),
    async stop(graceMs): Promise<void> {
      gate?.stop();
      sorter.stop();
      await Promise.all([closed(server, http2Connections, graceMs), options.grpc.stop(graceMs)]);
    },
  };
}

function hasAgreedOnHttp1(connection: Socket): boolean {
  return connection instanceof TLSSocket && connection.alpnProtocol === "http/1.1";
}

type HttpOptions = Pick<ListenerOptions, "http" | "hsts" | "limits">;

function httpServer({ http, hsts, limits }: HttpOptions): Server {
  const { headTimeout, requestTimeout, idleTimeout, headBytes, streams } = limits;
  const server = createServer({
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    keepAliveTimeout: idleTimeout,
    headersTimeout: headTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(SLOW_POLL_MS, Math.ceil(headTimeout / 4)),
    maxHeaderSize: headBytes,
    requireHostHeader: false,
  });
  answerAll(server, limitPipelines(http, streams), hsts);
  return server;
}

function listening(
  server: Server,
  address: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function cut(this: Socket): void {
  this.destroy();
}

function finished(this: Socket): void {
  cutSoon(this);
}

function closed(
  server: Server,
  http2Connections: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    // Connections become idle one by one as their calls end.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_POLL_MS);
    const timer = setTimeout(() => {
      server.closeAllConnections();
      for (const connection of http2Connections) connection.destroy();
    }, graceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(timer);
      resolve();
    });
  });
}
