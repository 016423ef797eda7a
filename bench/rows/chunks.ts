/** What the last chunks of a long artifact cost over early ones: CPU of the server, and time. */
import { performance } from "node:perf_hooks";
import { openHttp } from "../clients/http.ts";
import { agentRequest, eventCounter, textMessage } from "../live-streams.ts";
import { cpuOf } from "../process-stats.ts";
import type { Target } from "../targets.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

/**
 * The second and the last tenth are compared: of fewer chunks the kernel's clock could not tell the cost, and the first
 * tenth begins before its first event arrives.
 */
const WINDOWS = 10;
const TASKS = 8;
const PACES = { "in a burst": 0, "four at a time": 4 };

export async function chunkRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withTargets([startGateway(context)], async (gateway) => {
    if (!gateway) throw new Error("a server is missing");
    report.head(`the last of ${options.chunks} chunks of an artifact over the early ones`);
    for (const [pace, pause] of Object.entries(PACES)) {
      await stream(gateway, options.chunks, pause);
      const sums = { firstCpu: 0, lastCpu: 0, firstTime: 0, lastTime: 0 };
      for (let task = 0; task < TASKS; task++) {
        const marks = await stream(gateway, options.chunks, pause);
        const [, start, afterFirst] = marks;
        const [beforeLast, end] = marks.slice(-2);
        if (!start || !afterFirst || !beforeLast || !end) throw new Error("chunks are missing");
        sums.firstCpu += afterFirst.cpu - start.cpu;
        sums.lastCpu += end.cpu - beforeLast.cpu;
        sums.firstTime += afterFirst.time - start.time;
        sums.lastTime += end.time - beforeLast.time;
      }
      const each = (sum: number) => (sum * WINDOWS) / (TASKS * options.chunks);
      const cpu = `${each(sums.lastCpu).toFixed(1)} of ${each(sums.firstCpu).toFixed(1)} us a chunk`;
      report.add({
        name: `chunks ${pace}, CPU`,
        value: sums.lastCpu / sums.firstCpu,
        goal: "chunks",
        detail: cpu,
      });
      const time = `${(each(sums.lastTime) * 1000).toFixed(1)} of ${(each(sums.firstTime) * 1000).toFixed(1)} us a chunk`;
      report.add({
        name: `chunks ${pace}, time`,
        value: sums.lastTime / sums.firstTime,
        goal: "chunks",
        detail: time,
      });
    }
  });
}

interface Mark {
  readonly cpu: number;
  readonly time: number;
}

/** Streams one task; a mark at the first event and after each tenth of the chunks. */
async function stream(target: Target, chunks: number, pause: number): Promise<readonly Mark[]> {
  const connection = await openHttp(target.rest);
  const count = eventCounter();
  const marks: Mark[] = [];
  let events = 0;
  const { status } = await connection.call(
    agentRequest(
      target,
      "stream",
      "SendStreamingMessage",
      textMessage(`chunks ${chunks} ${pause}`),
    ),
    (data) => {
      events += count(data);
      while (events >= (marks.length * chunks) / WINDOWS && marks.length <= WINDOWS)
        marks.push({ cpu: cpuOf(target.pid), time: performance.now() });
    },
  );
  connection.close();
  if (status !== 200 || events < chunks) throw new Error(`status ${status}, ${events} events`);
  return marks;
}
