/** The written forms of quantities: durations, sizes and counts. */
import { written, writtenOr } from "./written.ts";

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const BYTES: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** The longest duration that something may wait for: Node fires timers beyond 24.8 days at once. */
const LONGEST_WAIT_DAYS = 24;

/** `500ms`, `30s`, `5m`, `1h`, `7d` or `0`, as milliseconds: how long something is waited for. */
export const duration = written(
  `a duration such as 30s, at most ${LONGEST_WAIT_DAYS}d`,
  waitableOf,
);

/** A duration longer than 0. */
export const positiveDuration = written(
  `a duration such as 30s, longer than 0 and at most ${LONGEST_WAIT_DAYS}d`,
  (text) => {
    const milliseconds = waitableOf(text);
    return milliseconds === 0 ? undefined : milliseconds;
  },
);

/** A duration of any length, for what is compared with the time and not waited for. */
export const period = written("a duration such as 7d", durationOf);

/** A duration, or `never` as undefined. */
export const durationOrNever = writtenOr("never", "a duration such as 7d", durationOf);

/** A duration of any length, or `off` as undefined. */
export const periodOrOff = writtenOr("off", "a duration such as 180d", durationOf);

/** `4MiB`, `512KB` or a plain number of bytes, more than 0. */
export const size = written("a size such as 4MiB", sizeOf);

/** As `size`, or `off` as undefined. */
export const sizeOrOff = writtenOr("off", "a size such as 4MiB", sizeOf);

/** A whole number within bounds. */
export function count(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return written(`a whole number ${range}`, (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : undefined;
  });
}

/** As `count`, or `off` as undefined. */
export function countOrOff(least: number) {
  return writtenOr("off", `a whole number of at least ${least}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(value) && value >= least ? value : undefined;
  });
}

/** The milliseconds of a duration of any length; undefined for what is none. */
export function durationOf(text: string): number | undefined {
  if (text === "0") return 0;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || !isUnit(unit)) return undefined;
  const milliseconds = Math.round(Number(amount) * MILLISECONDS[unit]);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

function isUnit(unit: string | undefined): unit is keyof typeof MILLISECONDS {
  return unit !== undefined && Object.hasOwn(MILLISECONDS, unit);
}

function waitableOf(text: string): number | undefined {
  const milliseconds = durationOf(text);
  const longest = LONGEST_WAIT_DAYS * MILLISECONDS.d;
  return milliseconds === undefined || milliseconds > longest ? undefined : milliseconds;
}

function sizeOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([KMG]i?B|B|)$/.exec(text) ?? [];
  const factor = BYTES[unit ?? "-"];
  if (amount === undefined || factor === undefined) return undefined;
  const bytes = Math.round(Number(amount) * factor);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
