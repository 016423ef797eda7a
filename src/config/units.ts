/** The written forms of quantities and addresses: durations, sizes, addresses, counts. Whatever is wrong says what was expected. */
import { isIP } from "node:net";
import { z } from "zod";

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

export interface Address {
  readonly host: string;
  readonly port: number;
}

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
export const durationOrNever = written("a duration such as 7d, or never", (text) =>
  text === "never" ? { after: undefined } : held(durationOf(text)),
).transform(({ after }) => after);

/** A duration of any length, or `off` as undefined. */
export const periodOrOff = written("a duration such as 180d, or off", (text) =>
  text === "off" ? { after: undefined } : held(durationOf(text)),
).transform(({ after }) => after);

/** `4MiB`, `512KB` or a plain number of bytes, more than 0. */
export const size = written("a size such as 4MiB", sizeOf);

/** As `size`, or `off` as undefined. */
export const sizeOrOff = written("a size such as 4MiB, or off", (text) =>
  text === "off" ? { after: undefined } : held(sizeOf(text)),
).transform(({ after }) => after);

/** `host:port`, with an IPv6 host in brackets. */
export const address = written("an address such as 127.0.0.1:8080", addressOf);

/** An address, or `off` as undefined. */
export const addressOrOff = written("an address such as 127.0.0.1:9090, or off", (text) =>
  text === "off" ? { after: undefined } : held(addressOf(text)),
).transform(({ after }) => after);

/** `http://…` or `https://…` without query and fragment, as a base to which paths are added. */
export const baseUrl = written("an http or https URL without query and fragment", baseUrlOf);

export const webUrl = written("an http or https URL", (text) => {
  const url = urlOf(text);
  return url && /^https?:$/.test(url.protocol) ? text : undefined;
});

/** As `webUrl`, for what is called: other settings say who calls, and are kept out of logs. */
export const calledUrl = webUrl.check(
  z.refine((url) => !URL.canParse(url) || (new URL(url).username || new URL(url).password) === "", {
    error: "expected a URL without a user",
  }),
);

/** `agents.example.com` or `agents.example.com:8443`, in lower case. */
export const hostName = written("a host such as agents.example.com", hostOf);

/** An IP address, or a network such as `10.0.0.0/8`. */
export const network = written("an IP address or a network such as 10.0.0.0/8", (text) => {
  const [ip = "", prefix, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1;
  if (rest.length > 0 || bits < 0) return undefined;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
    ? text
    : undefined;
});

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
  return written(`a whole number of at least ${least}, or off`, (text) => {
    if (text === "off") return { after: undefined };
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return held(Number.isSafeInteger(value) && value >= least ? value : undefined);
  }).transform(({ after }) => after);
}

/** A value that is written as text or number and read by `parse`, which answers undefined when it cannot. */
export function written<T>(what: string, parse: (text: string) => T | undefined) {
  const error = `expected ${what}`;
  return z.union([z.string(), z.number()], { error }).transform((value, context): T => {
    const result = parse(String(value).trim());
    if (result !== undefined) return result;
    context.issues.push({ code: "custom", message: error, input: value });
    return z.NEVER;
  });
}

function held<T>(value: T | undefined): { readonly after: T | undefined } | undefined {
  return value === undefined ? undefined : { after: value };
}

function durationOf(text: string): number | undefined {
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

function addressOf(text: string): Address | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.%]+)\]|([^\s:/[\]@]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

function hostOf(text: string): string | undefined {
  if (!/^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(text)) return undefined;
  return URL.canParse(`http://${text}`) ? text.toLowerCase() : undefined;
}

function baseUrlOf(text: string): string | undefined {
  const url = urlOf(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) return undefined;
  if (url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, "");
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
