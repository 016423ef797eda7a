/** The gRPC binding: one service per version, with health and reflection beside it. */
import type { Duplex } from "node:stream";
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import type { BoundDialect } from "../../wire/endpoint.ts";
import { bearGoneStreams } from "./gone-streams.ts";
import { addHealth } from "./health.ts";
import { http2ServersOf } from "./http2-servers.ts";
import { addReflection } from "./reflection.ts";
import { Reception } from "./reception.ts";
import { guardSessions, type SessionGuard, type SessionLimits } from "./session-guard.ts";
import { addService, type ServiceOptions } from "./service.ts";

export interface GrpcOptions extends ServiceOptions {
  readonly dialects: readonly BoundDialect[];
  /** The largest request message, in bytes. */
  readonly maxMessageBytes: number;
  readonly sessions: SessionLimits;
}

export interface GrpcServer {
  /** Takes over a connection that speaks HTTP/2. */
  inject(connection: Duplex): void;
  /** Says in the health service that new calls go elsewhere. */
  drain(): void;
  /** Takes no new calls, lets those under way end for that long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

export function createGrpc(options: GrpcOptions): GrpcServer {
  // What grpc-js writes to stderr by itself tells the metadata of callers, keys and tokens included.
  setLogVerbosity(logVerbosity.NONE);
  const reception = new Reception();
  const isAsking = options.authenticate !== undefined || options.countRequest !== undefined;
  const server = new Server({
    interceptors: isAsking ? [reception.interceptor] : [],
    "grpc.max_receive_message_length": options.maxMessageBytes,
    "grpc.max_send_message_length": -1,
    // A peer that is gone without a word is found within a minute and a half.
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
    "grpc.max_concurrent_streams": options.sessions.streams,
    "grpc.enable_channelz": 0,
  });
  for (const bound of options.dialects) addService(server, bound, { ...options, reception });
  const health = addHealth(server, options.dialects);
  addReflection(server, options.dialects);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const http2Servers = http2ServersOf(server);
  bearGoneStreams(http2Servers);
  const guard = guardSessions(http2Servers, options.sessions);
  return {
    inject: (connection) => injector.injectConnection(connection),
    drain: () => health.drain(),
    async stop(graceMs) {
      await stopped(server, guard, graceMs);
      guard.stop();
    },
  };
}

function stopped(server: Server, guard: SessionGuard, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    // Of a session that has been destroyed and is not closed yet, grpc-js would wait to hear for ever.
    void guard.settled().then(() => server.tryShutdown(end));
  });
}
