/**
 * The built gateway, as targets/gateway.json starts it, but on a port of one's own when one is given. `guarded` is the one
 * that asks its callers who they are.
 */
import { createServer } from "node:net";
import { join } from "node:path";
import { startTarget, type StartOptions, type Target } from "./targets.ts";

const FILE = join(import.meta.dirname, "targets/gateway.json");

export async function startGateway(
  options: StartOptions & { readonly port?: number },
  name: "gateway" | "guarded" = "gateway",
): Promise<Target> {
  const { port } = options;
  if (port === undefined) return startTarget(FILE, name, options);
  const address = `127.0.0.1:${port}`;
  const env = { ...options.env, A2A_GATEWAY_LISTEN: address };
  const target = await startTarget(FILE, name, { ...options, env });
  const url = `http://${address}`;
  return { ...target, jsonrpc: `${url}/`, rest: url, grpc: address };
}

/** A port that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
