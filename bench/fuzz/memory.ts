/** Whether the memory of a process has stayed what it was once it was warm. */
import type { Sample } from "./process.ts";

/**
 * How much more may be there at the end, in bytes: the gateway keeps at hand the 10,000 tasks that were used last, up to 64
 * MiB of them, and most runs are too short to fill that.
 */
const MOST_ALIVE = 80 * 2 ** 20;
/** More than is alive, since what was freed is not given back at once. */
const MOST_RESIDENT = 128 * 2 ** 20;

export interface Growth {
  /** In short, for people. */
  readonly text: string;
  readonly isFlat: boolean;
}

/**
 * The last that was seen while warming up, what was seen halfway after that, and the last of all.
 *
 * @param warmUp how many samples are of the warm-up: compiled code, caches, the first pages of the database
 */
export function growthOf(samples: readonly Sample[], warmUp: number): Growth {
  const half = warmUp + Math.floor((samples.length - warmUp) / 2);
  const window = Math.max(1, Math.floor(Math.min(warmUp, samples.length - warmUp) * 0.25));
  const [warm, later, last] = [warmUp, half, samples.length].map((end) =>
    middleOf(samples.slice(Math.max(0, end - window), end)),
  ) as [Sample, Sample, Sample];
  return {
    text:
      `alive ${mib(warm.alive)} MiB once warm, ${mib(later.alive)} halfway, ${mib(last.alive)} at the end; ` +
      `resident ${mib(warm.resident)}, ${mib(later.resident)}, ${mib(last.resident)}`,
    isFlat: last.alive - warm.alive <= MOST_ALIVE && last.resident - warm.resident <= MOST_RESIDENT,
  };
}

function middleOf(samples: readonly Sample[]): Sample {
  const middle = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
  return {
    alive: middle(samples.map(({ alive }) => alive)),
    resident: middle(samples.map(({ resident }) => resident)),
  };
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
