/** Whether the memory of a process has stayed what it was once it was warm. */
import type { Sample } from "./process.ts";

/** How much more may be there at the end. */
const MOST_RESIDENT = 64 * 2 ** 20;
const MOST_ALIVE = 16 * 2 ** 20;
/** With fewer full collections than that it is chance what they have found alive. */
const FEWEST_COLLECTIONS = 10;

export interface Growth {
  /** In short, for people. */
  readonly text: string;
  readonly isFlat: boolean;
}

/**
 * The middle of the last that was seen while warming up, against the middle of the last of all.
 *
 * @param warmUp how many samples are of the warm-up: compiled code, caches, the first pages of the database
 */
export function growthOf(samples: readonly Sample[], warmUp: number): Growth {
  const window = Math.max(1, Math.floor(Math.min(warmUp, samples.length - warmUp) * 0.25));
  const warm = samples.slice(Math.max(0, warmUp - window), warmUp);
  const last = samples.slice(-window);
  const resident = [middleOf(warm.map(residentOf)), middleOf(last.map(residentOf))] as const;
  const alive = [middleOf(warm.map(aliveOf)), middleOf(last.map(aliveOf))] as const;
  const collections = last.at(-1)?.collections ?? 0;
  const isAliveKnown = collections >= FEWEST_COLLECTIONS;
  const text = `resident memory ${mib(resident[0])} MiB once warm, ${mib(resident[1])} MiB at the end`;
  return {
    text: isAliveKnown ? `${text}; alive ${mib(alive[0])} and ${mib(alive[1])} MiB` : text,
    isFlat:
      resident[1] - resident[0] <= MOST_RESIDENT &&
      (!isAliveKnown || alive[1] - alive[0] <= MOST_ALIVE),
  };
}

function residentOf({ resident }: Sample): number {
  return resident;
}

function aliveOf({ alive }: Sample): number {
  return alive;
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
