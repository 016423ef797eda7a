/** The two processes of the kill test: a remote agent and the gateway before it, each with a file and a port to come back to. */
import { createServer } from "node:net";
import { join } from "node:path";
import { startTarget, type Target } from "../targets.ts";
import type { Random } from "./random.ts";

const FILE = join(import.meta.dirname, "upstream-targets.json");

/** The ids of the gateway's agents: the remote agent on each of its interfaces. */
export const AGENTS = ["v1-jsonrpc", "v1-rest", "v1-grpc", "v03-jsonrpc", "v03-rest", "v03-grpc"];

/** The agent of the remote side. */
export const REMOTE_AGENT = "story";

export interface World {
  readonly gateway: Process;
  readonly remote: Process;
}

export interface Process {
  /** The process of the moment; the address is the same in all its lives. */
  target(): Target;
  /** Ends it with SIGKILL and starts it again on the same file; resolves with the milliseconds that it was away. */
  restart(): Promise<number>;
  stop(): Promise<void>;
}

export async function openWorld(work: string, random: Random): Promise<World> {
  const remotePort = await fixedPort(random);
  const remote = await openProcess("remote", { work, port: remotePort, env: {} });
  const env = { REMOTE: remote.target().rest };
  const gateway = await openProcess("gateway", { work, port: await fixedPort(random), env });
  return { gateway, remote };
}

interface Settings {
  readonly work: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}

async function openProcess(name: string, settings: Settings): Promise<Process> {
  let current = await start(name, settings);
  return {
    target: () => current,
    async restart() {
      const killed = performance.now();
      await current.stop("SIGKILL");
      current = await start(name, settings);
      return performance.now() - killed;
    },
    stop: () => current.stop(),
  };
}

async function start(name: string, { work, port, env }: Settings): Promise<Target> {
  const address = `127.0.0.1:${port}`;
  const url = `http://${address}`;
  const listen = { A2A_GATEWAY_LISTEN: address };
  const options = { seed: 0, work, cpu: undefined, env: { ...env, ...listen } };
  const target = await startTarget(FILE, name, options);
  return { ...target, jsonrpc: `${url}/`, rest: url, grpc: address };
}

/** Below those that outgoing connections take: one of these may have the port while its process is away. */
async function fixedPort(random: Random): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(random() * 20_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
