/** The end of connections whose peer does not care that they have ended. */
import type { Socket } from "node:net";

/** How long a peer may take to read the last that it is told, in milliseconds. */
const LINGER_MS = 1_000;

/** For a connection that this side has ended: whoever keeps the other side open, or goes on writing, does not keep its place. */
export function cutSoon(connection: Socket): void {
  const timer = setTimeout(() => connection.destroy(), LINGER_MS);
  connection.once("close", () => clearTimeout(timer));
}
