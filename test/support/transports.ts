/** All three bindings of version 1.0 on one port of the loopback, over a service. */
import { randomUUID } from "node:crypto";
import type { A2AService } from "../../src/protocol/service.ts";
import { clientAddresses } from "../../src/transports/client-address.ts";
import { createGrpc, type GrpcServer } from "../../src/transports/grpc/server.ts";
import { createHttp } from "../../src/transports/http/app.ts";
import type { CardSource } from "../../src/transports/http/card.ts";
import type { CountRequest } from "../../src/protocol/quota.ts";
import type { Authenticate } from "../../src/transports/request.ts";
import type { Origins } from "../../src/transports/http/origin.ts";
import { Heartbeat } from "../../src/transports/http/heartbeat.ts";
import { jsonrpcDoor } from "../../src/transports/jsonrpc/door.ts";
import { createConnections, type ConnectionLimits } from "../../src/transports/connections.ts";
import type { SessionLimits } from "../../src/transports/grpc/session-guard.ts";
import {
  createListener,
  type Listener,
  type ListenerLimits,
  type OpenGate,
} from "../../src/transports/listener.ts";
import { restDoor } from "../../src/transports/rest/door.ts";
import { bind } from "../../src/wire/endpoint.ts";
import { v1 } from "../../src/wire/v1/index.ts";

export interface Transports {
  readonly port: number;
  readonly url: string;
  readonly listener: Listener;
  readonly grpc: GrpcServer;
  /** What was logged as an error or a warning. */
  readonly logged: readonly Record<string, unknown>[];
  stop(graceMs?: number): Promise<void>;
}

export interface TransportSettings {
  readonly maxBytes?: number;
  readonly heartbeatMs?: number;
  readonly allowedOrigins?: readonly string[];
  readonly keyHeaders?: readonly string[];
  readonly cards?: CardSource;
  readonly origins?: Origins;
  /** As far as gRPC goes. */
  readonly trustedProxies?: readonly string[];
  readonly authenticate?: Authenticate;
  readonly countRequest?: CountRequest;
  readonly limits?: Partial<ListenerLimits & SessionLimits & ConnectionLimits>;
  readonly gate?: OpenGate;
}

/** More than any test takes. */
export const LIMITS = {
  total: 1_000,
  perAddress: undefined,
  headTimeout: 60_000,
  requestTimeout: 300_000,
  idleTimeout: 75_000,
  headBytes: 32_768,
  streams: 1_000,
  controlFrames: 1_000,
};

const NO_ORIGINS: Origins = { of: () => undefined, addressOf: () => "", headers: [] };

export async function startTransports(
  service: A2AService,
  settings: TransportSettings = {},
): Promise<Transports> {
  const origins = settings.origins ?? NO_ORIGINS;
  const bound = bind(v1, service);
  const logged: Record<string, unknown>[] = [];
  const log = {
    error: (fields: object) => void logged.push({ ...fields }),
    warn: (fields: object, message: string) => void logged.push({ ...fields, message }),
    debug: () => undefined,
  };
  const maxBytes = settings.maxBytes ?? 4 * 1024 * 1024;
  const directory = {
    has: () => true,
    namedByHost: () => undefined,
    versionsOf: () => [v1.version],
  };
  const heartbeat = new Heartbeat(settings.heartbeatMs ?? 0);
  const door = {
    dialects: [bound],
    maxBodyBytes: maxBytes,
    heartbeat,
    directory,
    authenticate: settings.authenticate,
    countRequest: settings.countRequest,
    origins,
    newId: randomUUID,
    log,
  } as const;
  const http = createHttp({
    cards: settings.cards ?? {
      card: () => undefined,
      openApi: () => undefined,
      keySet: () => undefined,
    },
    catalogue: () => ({ body: '{"agents":[]}', etag: '"none"', maxAge: 0 }),
    origins,
    countRequest: settings.countRequest,
    doors: [jsonrpcDoor(door), restDoor(door)],
    allowedOrigins: settings.allowedOrigins ?? [],
    keyHeaders: settings.keyHeaders ?? [],
    log,
  });
  const clients = clientAddresses(settings.trustedProxies ?? []);
  const limits = { ...LIMITS, ...settings.limits };
  const grpc = createGrpc({ ...door, clients, maxMessageBytes: maxBytes, sessions: limits });
  const { gate } = settings;
  const listener = createListener({
    http,
    grpc,
    limits,
    connections: createConnections({ limits, isProxy: () => false, log }),
    ...(gate && { gate }),
  });
  const { port } = await listener.listen({ host: "127.0.0.1", port: 0 });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    listener,
    grpc,
    logged,
    async stop(graceMs = 0): Promise<void> {
      heartbeat.stop();
      await listener.stop(graceMs);
    },
  };
}
