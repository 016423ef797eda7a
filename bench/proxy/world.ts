/** The processes of the proxy rows: a remote agent, the gateway before it and, where it is installed, nginx before it. */
import { join } from "node:path";
import { freePort } from "../gateway.ts";
import type { Binding } from "../operations.ts";
import type { Context } from "../rows/context.ts";
import { startTarget, type StartOptions, type Target } from "../targets.ts";
import { hasNginx, startNginx } from "./nginx.ts";

const FILE = join(import.meta.dirname, "../targets/proxy.json");

export interface ProxyWorld {
  readonly remote: Target;
  readonly gateway: Target;
  readonly nginx: Target | undefined;
}

/** Runs with the processes, which are stopped whatever happens; `database` names the gateway's file. */
export async function withProxyWorld(
  { options, work }: Context,
  database: string,
  run: (world: ProxyWorld) => Promise<void>,
): Promise<void> {
  const open: Target[] = [];
  const kept = (target: Target): Target => {
    open.push(target);
    return target;
  };
  try {
    const remote = kept(await startRemote({ seed: 0, work, cpu: options.remoteCpu }));
    const cpu = options.serverCpu;
    const gateway = kept(await startProxy({ seed: 0, work, cpu, database }, remote));
    const nginx = hasNginx()
      ? kept(await startNginx({ work, cpu, origin: remote.rest }))
      : undefined;
    await run({ remote, gateway, nginx });
  } finally {
    for (const target of open.toReversed()) await target.stop();
  }
}

/** The remote agent as the gateway's agent that calls it on that binding. */
export function behind(gateway: Target, agent: Binding): Target {
  const url = `${gateway.rest}/a2a/${agent}`;
  return { ...gateway, name: `gateway to ${agent}`, jsonrpc: url, rest: url, agent };
}

async function startRemote(options: StartOptions): Promise<Target> {
  const [http, grpc] = [await freePort(), await freePort()];
  const env = { REMOTE_HTTP: String(http), REMOTE_GRPC: String(grpc) };
  return at(await startTarget(FILE, "remote", { ...options, env }), http, grpc);
}

async function startProxy(options: StartOptions, { rest }: Target): Promise<Target> {
  const port = await freePort();
  const env = { REMOTE: rest, A2A_GATEWAY_LISTEN: `127.0.0.1:${port}` };
  return at(await startTarget(FILE, "gateway", { ...options, env }), port, port);
}

function at(target: Target, http: number, grpc: number): Target {
  const url = `http://127.0.0.1:${http}`;
  return { ...target, jsonrpc: `${url}/`, rest: url, grpc: `127.0.0.1:${grpc}` };
}
