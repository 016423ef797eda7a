/** Ends HTTP/1.1 connections that ask for far more than they have been answered (RFC 9112, 9.3.2). */
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/**
 * A listener that gets requests as long as no more than `most` are under way on their connection: Node hands on all that
 * are sent, as long as nothing has been answered. Hardly any client sends one before it has the answer to the last one.
 */
export function limitPipelines(listener: RequestListener, most: number): RequestListener {
  /** How many requests wait on a connection for the answers before theirs. */
  const waiting = new WeakMap<Socket, number>();

  return (request, response) => {
    const { socket } = request;
    // It has no connection of its own as long as an answer before it has it.
    if (response.socket !== null) return listener(request, response);
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count >= most) return void socket.destroy();
    waiting.set(socket, count);
    response.once("socket", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}
