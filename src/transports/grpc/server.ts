/** The gRPC binding: one service per version, with health and reflection beside it. */
import type { Duplex } from "node:stream";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { BoundDialect } from "../../wire/endpoint.ts";
import { addHealth } from "./health.ts";
import { addReflection } from "./reflection.ts";
import { addService, type ServiceOptions } from "./service.ts";

export interface GrpcOptions extends ServiceOptions {
  readonly dialects: readonly BoundDialect[];
  /** The largest request message, in bytes. */
  readonly maxMessageBytes: number;
}

export interface GrpcServer {
  /** Takes over a connection that speaks HTTP/2. */
  inject(connection: Duplex): void;
  /** Listens on a port of its own, 0: any; the port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Says in the health service that new calls go elsewhere. */
  drain(): void;
  /** Takes no new calls, lets those under way end for that long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

export function createGrpc(options: GrpcOptions): GrpcServer {
  const server = new Server({
    "grpc.max_receive_message_length": options.maxMessageBytes,
    "grpc.max_send_message_length": -1,
    // A peer that is gone without a word is found within a minute and a half.
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
    "grpc.enable_channelz": 0,
  });
  const credentials = ServerCredentials.createInsecure();
  for (const bound of options.dialects) addService(server, bound, options);
  const health = addHealth(server, options.dialects);
  addReflection(server, options.dialects);
  const injector = server.createConnectionInjector(credentials);
  return {
    inject: (connection) => injector.injectConnection(connection),
    listen: ({ host, port }) => bound(server, authority(host, port), credentials),
    drain: () => health.drain(),
    stop: (graceMs) => stopped(server, graceMs),
  };
}

function authority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function bound(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

function stopped(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
