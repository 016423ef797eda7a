/** A receiver of webhooks on a port of its own: keeps what comes by path, and fails where it is told to. */
import { once } from "node:events";
import { createServer } from "node:http";

const POLL_MS = 20;

/** Each path is a webhook; `failures` of its first requests are answered with 503. */
export async function openReceiver() {
  const hooks = new Map();
  const server = createServer((request, response) => {
    const hook = hooks.get(request.url);
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      hook?.received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(pieces)) });
      response.writeHead(hook && hook.failures-- > 0 ? 503 : 200).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    open(failures = 0) {
      const path = `/hook-${hooks.size + 1}`;
      const hook = {
        url: `http://127.0.0.1:${server.address().port}${path}`,
        received: [],
        failures,
      };
      hooks.set(path, hook);
      return hook;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What a webhook was told, once `isEnough` says so of it; the time of a check is the limit. */
export async function told({ received }, isEnough) {
  while (!isEnough(received)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return received;
}
