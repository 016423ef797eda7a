/** How much may be asked, in the configuration: of all agents together, and of one. */
import { z } from "zod";
import { group, listOf, mapping } from "./fields.ts";
import { atLeastOne, onlyBeside } from "./one-of.ts";
import { namesTenants, who } from "./policies.ts";
import { count, durationOf } from "./units.ts";
import { written } from "./written.ts";

/** More than anybody needs, and few enough to be counted exactly. */
const MOST = 1_000_000_000;

const rate = written("a rate such as 20/s, 600/m or 1000/h, or off", (text) =>
  text === "off" ? text : rateOf(text),
);

const streams = written(`a whole number from 1 to ${MOST}, or off`, (text) => {
  if (text === "off") return text;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MOST ? value : undefined;
});

const LIMIT = {
  rate: rate.exactOptional(),
  burst: count(1, MOST).exactOptional(),
  streams: streams.exactOptional(),
};

/** What is counted for one. */
export const callLimit = mapping(LIMIT)
  .check(onlyBeside("burst", "rate"))
  .transform((limit) => limitOf(limit));

const exception = mapping({ who, ...LIMIT })
  .check(atLeastOne(["rate", "streams"]), onlyBeside("burst", "rate"))
  .transform(({ who: whom, ...limit }) => ({ who: whom, ...limitOf(limit) }));

export const callLimits = group({
  address: callLimit.exactOptional(),
  principal: callLimit.exactOptional(),
  agent: callLimit.exactOptional(),
  except: listOf(exception).prefault([]),
});

export interface Often {
  readonly calls: number;
  /** In milliseconds. */
  readonly period: number;
}

interface Written {
  readonly rate?: Often | "off";
  readonly burst?: number;
  readonly streams?: number | "off";
}

/** At once may come as many as in a whole period, where nothing else is said. */
function limitOf({ rate: often, burst, streams: most }: Written) {
  return {
    ...(often !== undefined && {
      rate: often === "off" ? ("off" as const) : { ...often, burst: burst ?? often.calls },
    }),
    ...(most !== undefined && { streams: most }),
  };
}

function rateOf(text: string): Often | undefined {
  const [, amount = "", unit] = /^(\d{1,10})\s*\/\s*([smhd])$/.exec(text) ?? [];
  const calls = Number(amount);
  const period = durationOf(`1${unit}`);
  if (period === undefined || calls < 1 || calls > MOST) return undefined;
  return { calls, period };
}

/** The settings that exceptions have to fit. */
interface Surroundings {
  readonly access: { readonly mode: string; readonly authenticators: readonly object[] };
  readonly limits: { readonly calls: z.output<typeof callLimits> };
}

/** Exceptions for principals where they could not mean what they say. */
export const fittingExceptions = z.core._check<Surroundings>(({ value, issues }) => {
  const { access, limits } = value;
  const tenants = namesTenants(access.authenticators);
  for (const [index, { who: whom }] of limits.calls.except.entries()) {
    const path = ["limits", "calls", "except", index, "who"];
    const message =
      access.mode === "off"
        ? "expected only where access.mode is optional or required"
        : tenants && whom.principals !== undefined && whom.tenants === undefined
          ? "expected tenants beside principals, since callers have tenants here"
          : undefined;
    if (message !== undefined) issues.push({ code: "custom", message, path, input: value });
  }
});
