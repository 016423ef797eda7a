/** A listener with the doors behind it: those of all agents, or those of one, which another agent may take over. */
import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import type { Config } from "../config/config.ts";
import type { Address } from "../config/addresses.ts";
import type { Logger } from "../log.ts";
import type { CountRequest } from "../protocol/quota.ts";
import type { Tls } from "../tls.ts";
import { clientAddresses } from "../transports/client-address.ts";
import { createGrpc, type GrpcServer } from "../transports/grpc/server.ts";
import { createHttp } from "../transports/http/app.ts";
import type { CardSource } from "../transports/http/card.ts";
import type { CatalogueSource } from "../transports/http/catalogue.ts";
import type { Heartbeat } from "../transports/http/heartbeat.ts";
import { originsOf } from "../transports/http/origin.ts";
import { jsonrpcDoor } from "../transports/jsonrpc/door.ts";
import type { Connections } from "../transports/connections.ts";
import { createListener, type Listener, type OpenGate } from "../transports/listener.ts";
import type { Authenticate, Directory } from "../transports/request.ts";
import { SAFE_HEADERS } from "../transports/safe-headers.ts";
import { restDoor } from "../transports/rest/door.ts";
import type { BoundDialect } from "../wire/endpoint.ts";

/** How long calls under way have when another agent takes over their connection, in milliseconds. */
const HANDOVER_MS = 5_000;

export interface FrontInput {
  readonly config: Config;
  readonly log: Logger;
  readonly directory: Directory;
  /** Undefined where nobody is asked who they are. */
  readonly authenticate: Authenticate | undefined;
  /** Counts requests by address; undefined where nobody does. */
  readonly countRequest: CountRequest | undefined;
  /** The cards at the root of a listener: those of the agent that it is for, or of the primary agent for undefined. */
  readonly cardsAt: (agent: string | undefined) => CardSource;
  /** The catalogue at a listener: of that agent alone, or of all for undefined. */
  readonly catalogueAt: (agent: string | undefined) => CatalogueSource;
  readonly bound: readonly [BoundDialect, ...BoundDialect[]];
  readonly heartbeat: Heartbeat;
  /** Those of all fronts. */
  readonly connections: Connections;
  /** Undefined: it speaks in the clear. */
  readonly tls: Tls | undefined;
}

export interface Front {
  /** Listens for every binding. Throws what the system says when the address is not to be had. */
  readonly listen: Listener["listen"];
  /** Listens on one more port, for gRPC alone. */
  listenGrpc(address: Address): Promise<unknown>;
  /**
   * From now on the doors are that agent's: requests find it at once, also on connections that are open; gRPC
   * connections end when their calls have, after five seconds at the latest, and come back to it.
   */
  handTo(agent: string): void;
  /** Takes no new connections, lets calls under way end for that long, then cuts them. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

/** The front of an agent, or of all of them for undefined. */
export function openFront(input: FrontInput, agent: string | undefined): Front {
  let owner = agent;
  let doors = doorsOf(input, agent);
  const leaving = new Set<GrpcServer>();
  const inject = (connection: Duplex): void => doors.grpc.inject(connection);
  const { tls, connections } = input;
  const limits = input.config.limits.connections;
  let grpcAlone: Listener | undefined;
  const listener = createListener({
    limits,
    connections,
    ...(tls && { gate: tls.gate, hsts: tls.hsts }),
    http: (request, response) => doors.http(request, response),
    grpc: {
      inject,
      async stop(graceMs) {
        await Promise.all([doors.grpc, ...leaving].map((grpc) => grpc.stop(graceMs)));
      },
    },
  });
  return {
    listen: listener.listen,
    listenGrpc(address) {
      grpcAlone ??= grpcListener(input, inject);
      return grpcAlone.listen(address);
    },
    handTo(next) {
      if (next === owner) return;
      const { grpc } = doors;
      owner = next;
      doors = doorsOf(input, next);
      leaving.add(grpc);
      grpc.drain();
      grpc
        .stop(HANDOVER_MS)
        .then(() => leaving.delete(grpc))
        .catch((err: unknown) =>
          input.log.error({ err, agent: next }, "doors do not change hands"),
        );
    },
    async stop(graceMs) {
      doors.grpc.drain();
      await Promise.all([listener.stop(graceMs), grpcAlone?.stop(graceMs)]);
    },
  };
}

/** A further listener of the front's gRPC server, which the front stops. */
function grpcListener(
  { config, connections, tls }: FrontInput,
  inject: (connection: Duplex) => void,
): Listener {
  const gate: OpenGate | undefined = tls && ((_, secured) => tls.gate(["h2"], secured));
  return createListener({
    http: (_, response) => void response.writeHead(404, [...SAFE_HEADERS]).end(),
    hsts: tls?.hsts,
    grpc: { inject, stop: () => Promise.resolve() },
    ...(gate && { gate }),
    limits: config.limits.connections,
    connections,
  });
}

interface FrontDoors {
  readonly http: RequestListener;
  readonly grpc: GrpcServer;
}

function doorsOf(input: FrontInput, agent: string | undefined): FrontDoors {
  const { config, log, directory, authenticate, countRequest, bound, heartbeat } = input;
  const { messageBytes, connections: sessions } = config.limits;
  // Request ids need no order, and say nothing of the time.
  const shared = {
    dialects: bound,
    directory,
    authenticate,
    countRequest,
    ...(agent !== undefined && { agent }),
    newId: randomUUID,
    log,
  };
  const origins = originsOf(config);
  const door = { ...shared, origins, maxBodyBytes: messageBytes, heartbeat };
  const http = createHttp({
    cards: input.cardsAt(agent),
    catalogue: input.catalogueAt(agent),
    origins,
    countRequest,
    doors: [jsonrpcDoor(door), restDoor(door)],
    allowedOrigins: config.cors.origins,
    keyHeaders: keyHeadersOf(config),
    hsts: input.tls?.hsts,
    log,
  });
  const clients = clientAddresses(config.trustedProxies);
  return {
    http,
    grpc: createGrpc({ ...shared, clients, maxMessageBytes: messageBytes, sessions }),
  };
}

/** The headers that API keys come in. */
function keyHeadersOf({ access }: Config): readonly string[] {
  return access.authenticators.flatMap((each) =>
    "apiKey" in each && each.apiKey.in === "header" ? [each.apiKey.name] : [],
  );
}
