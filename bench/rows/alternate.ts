import { measure, median, type Load, type Measurement } from "../measure.ts";
import type { Options } from "../options.ts";

/** The medians of each load over rounds in alternating order: A B, B A, A B, … */
export async function alternate(
  loads: readonly Omit<Load, "lanes" | "seconds">[],
  { rounds, seconds, warmup, lanes }: Options,
): Promise<readonly Measurement[]> {
  const results = loads.map((): Measurement[] => []);
  if (warmup > 0) for (const load of loads) await measure({ ...load, lanes, seconds: warmup });
  for (let round = 0; round < rounds; round++) {
    const order = loads.map((_, index) => index);
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      const load = loads[index];
      if (load) results[index]?.push(await measure({ ...load, lanes, seconds }));
    }
  }
  return results.map(medians);
}

function medians(rounds: readonly Measurement[]): Measurement {
  const of = (pick: (round: Measurement) => number) => median(rounds.map(pick));
  return {
    rate: of(({ rate }) => rate),
    cpu: of(({ cpu }) => cpu),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    serverBusy: of(({ serverBusy }) => serverBusy),
    clientBusy: of(({ clientBusy }) => clientBusy),
  };
}
