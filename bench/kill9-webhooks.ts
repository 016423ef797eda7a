/**
 * Kills the built gateway and the receiver of its webhooks with SIGKILL while tasks run and are told, and looks whether
 * everything was told: each event at least once, in order, and nothing after a webhook's deletion. In turn: the gateway is
 * killed, the receiver, both. A third of the receiver's answers are failures or none. Before that, a receiver that does
 * not do what it answers shows that the check finds such faults. Exit status 1 when something is wrong.
 *
 *   node --import tsx bench/kill9-webhooks.ts [--tasks 10000] [--times 20] [--seed NUMBER]
 */
import { parseArgs } from "node:util";
import { randomOf } from "./kill9/random.ts";
import type { FaultKind } from "./kill9-webhooks/check.ts";
import { run } from "./kill9-webhooks/run.ts";

/** Tasks of the run that must be found faulty. */
const LIED_ABOUT = 150;
const FINDABLE: readonly FaultKind[] = ["lost", "order", "deleted"];
const SHOWN = 20;

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "10000" },
    times: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});
const random = randomOf(Number(values.seed));
console.log(`kill -9 at ${values.times} moments, ${values.tasks} tasks, seed ${values.seed}`);
process.exitCode = (await findsFaults()) && (await isFaultless()) ? 0 : 1;

/** Whether the check finds each kind of fault where there are some. */
async function findsFaults(): Promise<boolean> {
  console.log("a receiver that does not do what it answers, which has to be found out:");
  const found = await run({ tasks: LIED_ABOUT, times: 0, isLying: true, random });
  const missing = FINDABLE.filter((kind) => !found.some((fault) => fault.kind === kind));
  for (const kind of missing) console.log(`   the check finds no fault of the kind "${kind}"`);
  return missing.length === 0;
}

async function isFaultless(): Promise<boolean> {
  console.log("a receiver that does:");
  const tasks = Number(values.tasks);
  const faults = await run({ tasks, times: Number(values.times), isLying: false, random });
  for (const { kind, text } of faults.slice(0, SHOWN)) console.log(`   ${kind}: ${text}`);
  return faults.length === 0;
}
