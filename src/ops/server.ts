/** The operations port: health now, and a listener of its own, so that it is never reachable where callers are. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../core/ports/log.ts";
import { liveness, readiness, type HealthAnswer, type Readiness } from "./health.ts";

export interface OpsInput {
  readonly ready: () => Promise<Readiness>;
  readonly log: Log;
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

export function createOps({ ready, log }: OpsInput): Ops {
  const routes: Readonly<Record<string, () => Promise<HealthAnswer>>> = {
    "/healthz": async () => liveness(),
    "/readyz": () => readiness(ready, log),
  };
  const server = createServer((request, response) => {
    answerOf(request, routes)
      .then((answer) => send(request, response, answer))
      .catch((thrown: unknown) => {
        log.error({ err: thrown }, "operations request failed");
        response.destroy();
      });
  });
  return {
    async listen({ host, port }) {
      server.listen({ host, port });
      await once(server, "listening");
      const bound = server.address() as AddressInfo;
      return { host: bound.address, port: bound.port };
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerOf(
  request: IncomingMessage,
  routes: Readonly<Record<string, () => Promise<HealthAnswer>>>,
): Promise<HealthAnswer> {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
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
    ...(answer.status === 405 && { allow: "GET, HEAD" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
