import type { Socket } from "node:net";
import { refusalText } from "./refusal.ts";

/** Without HSTS: a browser heeds it over TLS alone. */
const ANSWER = refusalText(400, "this port speaks TLS: use https");

/** The line of a request begins with its method. */
const METHOD = /^[A-Z]/;

/** Tells whoever speaks HTTP in the clear on a port with TLS, and drops everybody else. */
export function refusePlain(connection: Socket, firstBytes: Buffer): void {
  if (!METHOD.test(firstBytes.toString("latin1", 0, 1))) {
    connection.destroy();
    return;
  }
  // What still comes is thrown away: unread, it would reset the connection and take the answer with it.
  connection.on("end", () => connection.destroy()).resume();
  connection.end(ANSWER);
}
