/**
 * A receiver of webhooks that costs next to nothing: on a bare socket, every POST is taken, and a GET answers how many
 * there were. `RECEIVER_PORT` is its port, on the loopback.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

const TAKEN = "HTTP/1.1 204 No Content\r\n\r\n";
const END_OF_HEAD = "\r\n\r\n";

let taken = 0;
const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    rest = answered(socket, rest.length === 0 ? data : Buffer.concat([rest, data]));
  });
});
await once(server.listen(Number(process.env["RECEIVER_PORT"]), "127.0.0.1"), "listening");
console.log("ready");

/** Answers the requests that are whole, and returns what is left. */
function answered(socket: Socket, buffer: Buffer): Buffer {
  const headEnd = buffer.indexOf(END_OF_HEAD);
  if (headEnd < 0) return buffer;
  const head = buffer.toString("latin1", 0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + END_OF_HEAD.length + length;
  if (buffer.length < end) return buffer;
  if (head.startsWith("POST ")) {
    taken++;
    socket.write(TAKEN);
  } else {
    const body = String(taken);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}${END_OF_HEAD}${body}`);
  }
  return answered(socket, buffer.subarray(end));
}
