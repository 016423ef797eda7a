/** How many connections there may be, and what they may take. */
import { z } from "zod";
import { mapping } from "./fields.ts";
import { count, countOrOff, positiveDuration, size } from "./units.ts";

export const connections = mapping({
  total: count(1).prefault(25_000),
  perAddress: countOrOff(1).exactOptional(),
  headTimeout: positiveDuration.prefault("15s"),
  requestTimeout: positiveDuration.prefault("1m"),
  idleTimeout: positiveDuration.prefault("75s"),
  headBytes: size.prefault("32KiB"),
  streams: count(1, 2 ** 31 - 1).prefault(1_000),
  controlFrames: count(1).prefault(1_000),
})
  .check(
    z.refine(({ headTimeout, requestTimeout }) => headTimeout <= requestTimeout, {
      path: ["requestTimeout"],
      error: "expected at least headTimeout",
    }),
  )
  .transform((settings) => ({
    ...settings,
    // No single address takes what all others need, unless somebody says so.
    perAddress: "perAddress" in settings ? settings.perAddress : Math.ceil(settings.total / 2),
  }))
  .prefault({});
