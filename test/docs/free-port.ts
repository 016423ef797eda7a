import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** A port of the loopback that nobody had a moment ago: for programs that have to be told which. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
