import type { Socket } from "node:net";

const BODY = JSON.stringify({
  error: { code: 400, status: "INVALID_ARGUMENT", message: "this port speaks TLS: use https" },
});

const ANSWER =
  "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n" +
  "X-Content-Type-Options: nosniff\r\n" +
  `Content-Length: ${Buffer.byteLength(BODY)}\r\nConnection: close\r\n\r\n${BODY}`;

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
