/** The operations port: health and the Admin API, on a listener of its own, so that it is never reachable where callers are. */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Log } from "../core/ports/log.ts";
import { answerAll } from "../transports/refusal.ts";
import { SAFE_PAIRS } from "../transports/safe-headers.ts";
import { createAdmin } from "./admin/app.ts";
import type { AdminPorts } from "./admin/ports.ts";
import { liveness, readiness, type HealthAnswer, type Readiness } from "./health.ts";

export interface OpsInput {
  readonly ready: () => Promise<Readiness>;
  readonly log: Log;
  /** What the Admin API works with; undefined: it is not served. */
  readonly admin: AdminPorts | undefined;
  /** Undefined: connections come as they are. */
  readonly tls?: OpsTls | undefined;
  /** Undefined: there may be any number. */
  readonly connections?: OpsConnections | undefined;
}

export interface OpsConnections {
  /** False for a connection that is one too many, and has been closed. */
  admit(connection: Socket): boolean;
}

export interface OpsTls {
  /** Opens a gate that encrypts connections which agree on one of the protocols, and hands them on. */
  gate(
    protocols: readonly string[],
    secured: (connection: Socket) => void,
  ): { add(connection: Socket): void; stop(): void };
  /** The value of `Strict-Transport-Security`; undefined: the header is not sent. */
  readonly hsts: string | undefined;
}

export interface OpsAddress {
  readonly host: string;
  readonly port: number;
}

export interface Ops {
  /** Resolves with the address once it listens; throws when the address is not to be had. */
  listen(address: OpsAddress): Promise<OpsAddress>;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/** A request that is not here by then is cut off, its headers or its body: none of them is large. */
const TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};

export function createOps({ ready, log, admin, tls, connections }: OpsInput): Ops {
  const health = healthListener(ready, log);
  const adminListener = admin && createAdmin(admin, log);
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false });
  const answer: RequestListener = (request, response) => {
    if (tls?.hsts !== undefined) response.setHeader("strict-transport-security", tls.hsts);
    const listener = isAdmin(pathOf(request)) ? (adminListener ?? health) : health;
    listener(request, response);
  };
  answerAll(server, answer, tls?.hsts);
  const [http] = server.listeners("connection") as [(connection: Socket) => void];
  // The server reads HTTP from what comes through the gate alone.
  const gate = tls?.gate(["http/1.1"], (connection) => http.call(server, connection));
  server.removeAllListeners("connection");
  server.on("connection", (connection: Socket) => {
    if (connections && !connections.admit(connection)) return;
    if (gate) gate.add(connection);
    else http.call(server, connection);
  });
  return {
    async listen({ host, port }) {
      server.listen({ host, port });
      await once(server, "listening");
      const bound = server.address() as AddressInfo;
      return { host: bound.address, port: bound.port };
    },
    async close() {
      gate?.stop();
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

function isAdmin(path: string): boolean {
  return path === "/admin" || path.startsWith("/admin/");
}

/** Answers everybody, whatever the access to the rest. */
function healthListener(ready: () => Promise<Readiness>, log: Log): RequestListener {
  const routes: HealthRoutes = {
    "/healthz": async () => liveness(),
    "/readyz": () => readiness(ready, log),
  };
  return (request, response) => {
    answerOf(request, routes)
      .then((answer) => send(request, response, answer))
      .catch((thrown: unknown) => {
        log.error({ err: thrown }, "operations request failed");
        response.destroy();
      });
  };
}

type HealthRoutes = Readonly<Record<string, () => Promise<HealthAnswer>>>;

async function answerOf(request: IncomingMessage, routes: HealthRoutes): Promise<HealthAnswer> {
  const path = pathOf(request);
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return { status: 404, body: { error: "no such path" } };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, body: { error: "only GET and HEAD" } };
  return route();
}

function send(request: IncomingMessage, response: ServerResponse, answer: HealthAnswer): void {
  const body = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...Object.fromEntries(SAFE_PAIRS),
    ...(answer.status === 405 && { allow: "GET, HEAD" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
