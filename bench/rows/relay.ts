/** Streams of a remote agent through the gateway: events per second to clients and to the store, and memory. */
import { median } from "../measure.ts";
import type { Binding } from "../operations.ts";
import { stored, streamed, type Flood } from "../proxy/flood.ts";
import { behind, withProxyWorld } from "../proxy/world.ts";
import { cpuOf, memoryOf } from "../process-stats.ts";
import type { Target } from "../targets.ts";
import type { Context } from "./context.ts";

const STREAMS = [1, 50];
/** Of the row about memory: tasks come and go, so that what is kept of one after its end shows. */
const WAVE = { streams: 50, chunks: 1_000 };
/** What comes before has filled what is bounded: caches and the collector's own room. */
const SETTLED_SHARE = 0.25;
const SAMPLE_MS = 100;

const WAYS = { client: streamed, store: stored };

export async function relayRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withProxyWorld(context, "relay", async ({ gateway }) => {
    report.head(`events per second from one agent through the gateway, ${options.chunks} in all`);
    for (const binding of options.bindings)
      for (const streams of STREAMS)
        for (const [end, way] of Object.entries(WAYS)) {
          const chunks = Math.floor(options.chunks / streams);
          const flood = { target: behind(gateway, binding), binding, streams, chunks };
          const { rate, cpu } = await measured(way, flood, gateway, options.rounds);
          report.add({
            name: `${binding} to ${end}, ${streams} at a time`,
            value: rate,
            goal: "relay rate",
            detail: `${cpu.toFixed(1)} us an event`,
          });
        }
    await memoryRow(context, gateway);
  });
}

/** The median over rounds, after one that does not count. */
async function measured(
  way: (flood: Flood) => Promise<number>,
  flood: Flood,
  { pid }: Target,
  rounds: number,
): Promise<{ readonly rate: number; readonly cpu: number }> {
  await way(flood);
  const before = cpuOf(pid);
  const rates: number[] = [];
  while (rates.length < rounds) rates.push(await way(flood));
  const events = rounds * flood.streams * flood.chunks;
  return { rate: median(rates), cpu: (cpuOf(pid) - before) / events };
}

/** What the server held at most in a wave of the last quarter over one of the second: the medians. */
async function memoryRow({ options, report }: Context, gateway: Target): Promise<void> {
  const { pid } = gateway;
  const binding: Binding = options.bindings[0] ?? "jsonrpc";
  const flood = { ...WAVE, target: behind(gateway, binding), binding };
  const waves = Math.ceil(options.relayed / (WAVE.streams * WAVE.chunks));
  const peaks: number[] = [];
  const sample = () => {
    peaks[peaks.length - 1] = Math.max(peaks.at(-1) ?? 0, memoryOf(pid));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    for (let wave = 0; wave < waves; wave++) {
      peaks.push(0);
      await streamed(flood);
      sample();
    }
  } finally {
    clearInterval(timer);
  }
  const quarter = Math.max(1, Math.floor(waves * SETTLED_SHARE));
  const early = median(peaks.slice(quarter, 2 * quarter));
  const late = median(peaks.slice(-quarter));
  report.add({
    name: `memory ${binding}, ${WAVE.streams} at a time`,
    value: late / early,
    goal: "relay memory",
    detail: `${mebibytes(late)} of ${mebibytes(early)} MiB over ${options.relayed} events, from ${mebibytes(peaks[0] ?? 0)}`,
  });
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
