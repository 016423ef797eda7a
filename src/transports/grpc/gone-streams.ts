/** Streams of HTTP/2 that have ended before grpc-js looks at them, and those that it refuses without a further look. */
import type { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";

/**
 * Keeps such streams from ending the process. A caller that breaks the rules of HTTP/2 ends its streams with the
 * connection, also in the same breath in which it opened them: grpc-js would answer what is wrong with a stream that is
 * gone, which Node refuses with an exception that nobody catches, and listens for errors only on streams that it takes.
 *
 * @param servers once grpc-js listens to them
 */
export function bearGoneStreams(servers: readonly EventEmitter[]): void {
  for (const server of servers) {
    const handlers = server.listeners("stream");
    if (handlers.length === 0) throw new Error("grpc-js takes its streams from somewhere else now");
    server.removeAllListeners("stream");
    server.on("stream", (stream: ServerHttp2Stream, ...rest: readonly unknown[]): void => {
      stream.on("error", ignore);
      if (stream.destroyed || stream.closed) return;
      for (const handle of handlers) Reflect.apply(handle, server, [stream, ...rest]);
    });
  }
}

function ignore(): void {}
