/** Resident memory of the server per stream on which nothing happens. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "../clients/client.ts";
import {
  openSubscriptions,
  openTask,
  subscribeGrpc,
  subscribeSse,
  type Subscription,
} from "../live-streams.ts";
import { memoryOf } from "../process-stats.ts";
import type { Target } from "../targets.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

const TASKS = 100;
const STREAMS_PER_GRPC_CONNECTION = 100;
/** Opened at a time: the server is not to be measured in a storm. */
const BATCH = 50;
/** Seconds in which the collector may come by: the least memory seen then is what is needed. */
const SETTLE_SECONDS = 15;
const WARM_UP_STREAMS = 300;

export async function idleRows(context: Context): Promise<void> {
  const { options, report } = context;
  report.head(`kilobytes of the server's memory per idle stream, ${options.idleStreams} open`);
  for (const kind of ["sse", "grpc"] as const)
    await withTargets([startGateway(context, { database: `idle-${kind}` })], async (gateway) => {
      if (!gateway) throw new Error("a server is missing");
      const ids: string[] = [];
      while (ids.length < TASKS) ids.push(await openTask(gateway, "wait", "wait"));
      close(await open(kind, gateway, ids, WARM_UP_STREAMS));
      const before = await settledMemoryOf(gateway);
      const streams = await open(kind, gateway, ids, options.idleStreams);
      const grown = (await settledMemoryOf(gateway)) - before;
      close(streams);
      report.add({
        name: `idle ${kind}`,
        value: grown / options.idleStreams / 1024,
        goal: `idle ${kind}`,
        detail: `${(before / 2 ** 20).toFixed(0)} + ${(grown / 2 ** 20).toFixed(0)} MiB`,
      });
    });
}

async function settledMemoryOf({ pid }: Target): Promise<number> {
  let least = Infinity;
  for (let second = 0; second < SETTLE_SECONDS; second++) {
    await sleep(1_000);
    least = Math.min(least, memoryOf(pid));
  }
  return least;
}

function close(streams: readonly Subscription[]): void {
  for (const { connection } of streams) connection.close();
}

/** Resolves when every stream has had its first event. */
async function open(
  kind: "sse" | "grpc",
  target: Target,
  ids: readonly string[],
  count: number,
): Promise<readonly Subscription[]> {
  const streams: Subscription[] = [];
  let connection: Connection | undefined;
  while (streams.length < count) {
    const begun: Promise<void>[] = [];
    for (let slot = 0; slot < BATCH && streams.length < count; slot++) {
      const id = ids[streams.length % ids.length] ?? "";
      let onData = () => {};
      const first = new Promise<void>((resolve) => {
        onData = resolve;
      });
      if (kind === "grpc" && streams.length % STREAMS_PER_GRPC_CONNECTION === 0)
        connection = await openSubscriptions(target);
      const stream = connection
        ? subscribeGrpc(connection, "wait", id, onData)
        : await subscribeSse(target, "wait", id, onData);
      streams.push(stream);
      const early = stream.ended.then((status) => {
        throw new Error(`an idle stream ended with ${String(status)}`);
      });
      early.catch(() => {});
      begun.push(Promise.race([first, early]));
    }
    await Promise.all(begun);
  }
  return streams;
}
