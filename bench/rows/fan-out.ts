/** Deliveries per second to a hundred subscribers of one task over those to one. */
import { performance } from "node:perf_hooks";
import { median } from "../measure.ts";
import { eventCounter, openTask, subscribeSse } from "../live-streams.ts";
import type { Target } from "../targets.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

const SUBSCRIBERS = 100;
const CHUNKS = 2_000;
/** A turn of the event loop after so many chunks, as an agent that writes fast would leave. */
const PAUSE = 8;
/** For the subscribers to arrive. */
const DELAY_MS = 1_000;

export async function fanOutRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withTargets([startGateway(context)], async (gateway) => {
    if (!gateway) throw new Error("a server is missing");
    report.head(`SSE deliveries per second to ${SUBSCRIBERS} subscribers over one`);
    const rates = { one: [] as number[], many: [] as number[] };
    await deliver(gateway, SUBSCRIBERS);
    for (let round = 0; round < options.rounds; round++) {
      rates.one.push(await deliver(gateway, 1));
      rates.many.push(await deliver(gateway, SUBSCRIBERS));
    }
    const [one, many] = [median(rates.one), median(rates.many)];
    report.add({
      name: `fan-out to ${SUBSCRIBERS}`,
      value: many / one,
      goal: "fan-out",
      detail: `${many.toFixed(0)} of ${one.toFixed(0)}/s`,
    });
  });
}

async function deliver(target: Target, subscribers: number): Promise<number> {
  const id = await openTask(target, "stream", `chunks ${CHUNKS} ${PAUSE} ${DELAY_MS}`);
  let start = Infinity;
  let delivered = 0;
  const streams = await Promise.all(
    Array.from({ length: subscribers }, () => {
      const count = eventCounter();
      let events = 0;
      return subscribeSse(target, "stream", id, (data) => {
        const more = count(data);
        // The first event is the task as it was.
        if (events > 0) start = Math.min(start, performance.now());
        events += more;
        delivered += more;
      });
    }),
  );
  const statuses = await Promise.all(streams.map(({ ended }) => ended));
  const seconds = (performance.now() - start) / 1000;
  for (const { connection } of streams) connection.close();
  if (statuses.some((status) => status !== 200) || delivered < subscribers * CHUNKS)
    throw new Error(`${delivered} deliveries, want ${subscribers * CHUNKS}`);
  return delivered / seconds;
}
