/** Streams of HTTP/2 that have ended before grpc-js looks at them, and those that it refuses without a further look. */
import type { ServerHttp2Stream } from "node:http2";
import type { Server } from "@grpc/grpc-js";

/**
 * Keeps such streams from ending the process. A caller that breaks the rules of HTTP/2 ends its streams with the
 * connection, also in the same breath in which it opened them: grpc-js would answer what is wrong with a stream that is
 * gone, which Node refuses with an exception that nobody catches, and listens for errors only on streams that it takes.
 *
 * To be called before the server has a listener. There is no public way to it; a grpc-js that has no such method any
 * more is refused at the start.
 */
export function bearGoneStreams(server: Server): void {
  const handle: unknown = Reflect.get(server, HANDLER);
  if (typeof handle !== "function") throw new Error(`grpc-js has no ${HANDLER} any more`);
  Reflect.set(
    server,
    HANDLER,
    (interceptors: unknown, stream: ServerHttp2Stream, ...rest: readonly unknown[]): void => {
      stream.on("error", ignore);
      if (stream.destroyed || stream.closed) return;
      Reflect.apply(handle, server, [interceptors, stream, ...rest]);
    },
  );
}

const HANDLER = "_streamHandler";

function ignore(): void {}
