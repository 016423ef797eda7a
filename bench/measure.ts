/** A closed loop: so many lanes, each with one request under way, for so many seconds; every answer is checked. */
import { performance } from "node:perf_hooks";
import type { Connection } from "./clients/client.ts";
import { openGrpc } from "./clients/grpc.ts";
import { openHttp } from "./clients/http.ts";
import { credentialsOf, type Binding, type Operation, type World } from "./operations.ts";
import { cpuOf } from "./process-stats.ts";
import type { Target } from "./targets.ts";

export interface Load {
  readonly target: Target;
  readonly operation: Operation;
  readonly binding: Binding;
  readonly world: World;
  readonly lanes: number;
  readonly seconds: number;
}

export interface Measurement {
  readonly rate: number;
  /** CPU of the server per answer, in microseconds. */
  readonly cpu: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of a core that the server and this process took. */
  readonly serverBusy: number;
  readonly clientBusy: number;
}

const GRPC_CONNECTIONS = 4;
/** The gRPC service of each version. */
export const SERVICE = { "1.0": "lf.a2a.v1.A2AService", "0.3": "a2a.v1.A2AService" } as const;

export async function measure(load: Load): Promise<Measurement> {
  const { target, operation, binding, world, lanes, seconds } = load;
  const connections = await openConnections(target, binding, operation, lanes);
  const latencies: number[] = [];
  let count = 0;
  const start = { time: performance.now(), server: cpuOf(target.pid), client: process.cpuUsage() };
  const end = start.time + seconds * 1000;

  async function lane(connection: Connection): Promise<void> {
    for (let now = performance.now(); now < end;) {
      const { request, check } = operation.next(target, binding, world, count++);
      const answer = await connection.call(request);
      const before = now;
      now = performance.now();
      latencies.push(now - before);
      check(answer);
    }
  }

  try {
    await Promise.all(
      Array.from({ length: lanes }, (_, index) =>
        lane(nth(connections, index % connections.length)),
      ),
    );
  } catch (thrown) {
    throw new Error(`${target.name} ${operation.name} ${binding}: wrong answer`, { cause: thrown });
  } finally {
    for (const connection of connections) connection.close();
  }
  const elapsed = performance.now() - start.time;
  const serverCpu = cpuOf(target.pid) - start.server;
  const client = process.cpuUsage(start.client);
  latencies.sort((a, b) => a - b);
  return {
    rate: (latencies.length * 1000) / elapsed,
    cpu: serverCpu / latencies.length,
    p50: nth(latencies, Math.floor(latencies.length * 0.5)),
    p99: nth(latencies, Math.floor(latencies.length * 0.99)),
    serverBusy: serverCpu / (elapsed * 1000),
    clientBusy: (client.user + client.system) / (elapsed * 1000),
  };
}

/** As many connections as a client of that binding would open: HTTP/1.1 one per lane, gRPC a few for all. */
export function openConnections(
  target: Target,
  binding: Binding,
  operation: Operation,
  lanes: number,
): Promise<Connection[]> {
  const version = operation.version ?? "1.0";
  const path = `/${SERVICE[version]}/${operation.method}`;
  const open = () =>
    binding === "grpc"
      ? openGrpc(target.grpc, path, { "a2a-version": version, ...credentialsOf(target) })
      : openHttp(target[binding]);
  const length = binding === "grpc" ? Math.min(GRPC_CONNECTIONS, lanes) : lanes;
  return Promise.all(Array.from({ length }, open));
}

/** One exchange, checked. */
export async function once(load: Omit<Load, "lanes" | "seconds">): Promise<Buffer> {
  const { target, operation, binding, world } = load;
  const [connection] = await openConnections(target, binding, operation, 1);
  if (!connection) throw new Error("no connection");
  try {
    const { request, check } = operation.next(target, binding, world, 0);
    const answer = await connection.call(request);
    check(answer);
    return answer.messages[0] ?? Buffer.alloc(0);
  } finally {
    connection.close();
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (nth(sorted, Math.floor(middle - 0.5)) + nth(sorted, Math.floor(middle))) / 2;
}

function nth<T>(values: readonly T[], index: number): T {
  const value = values[Math.min(index, values.length - 1)];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}
