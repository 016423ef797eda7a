/** The HTTP/2 servers behind a gRPC server. */
import { EventEmitter } from "node:events";
import type { Server } from "@grpc/grpc-js";

/**
 * Those that its connection injectors have made. grpc-js shows them to nobody, and they are the only place where sessions
 * and streams can be seen before it acts on them: one that keeps them elsewhere is refused at the start.
 */
export function http2ServersOf(server: Server): readonly EventEmitter[] {
  const servers: unknown = Reflect.get(server, "http2Servers");
  const found = servers instanceof Map ? [...servers.keys()] : [];
  const emitters = found.filter((each) => each instanceof EventEmitter);
  if (emitters.length === 0) throw new Error("grpc-js has its HTTP/2 servers somewhere else now");
  return emitters;
}
