/** How many turns of an agent run at a time, and how many wait for that. */
import { mapping } from "./fields.ts";
import { count, countOrOff, positiveDuration } from "./units.ts";

/** Of each agent that does not say otherwise. */
export const turns = mapping({
  running: countOrOff(1).prefault("off"),
  perPrincipal: countOrOff(1).prefault("off"),
  queue: count(0).prefault(1_000),
  wait: positiveDuration.prefault("30s"),
}).prefault({});

/** Of one agent: what it leaves out is as for all. */
export const turnsOfAgent = mapping({
  running: countOrOff(1).exactOptional(),
  perPrincipal: countOrOff(1).exactOptional(),
  queue: count(0).exactOptional(),
  wait: positiveDuration.exactOptional(),
});
