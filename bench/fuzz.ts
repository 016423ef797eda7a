/**
 * Sends mutated requests to the six doors of the built gateway, one that lets everybody in and one that asks, and looks
 * whether it answers each as a caller's fault, stays alive, keeps its memory and holds nothing afterwards. Exit status 1
 * when it does not. A door and a seed make the same requests again, but for the ids in them, which are new each time.
 *
 *   node --import tsx bench/fuzz.ts [--times 2000] [--seed NUMBER] [--doors "gRPC 1.0,gRPC 0.3"]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { attack } from "./fuzz/door.ts";
import { growthOf } from "./fuzz/memory.ts";
import { connectionsLeft, faultsOf, openStage, type Stage } from "./fuzz/stage.ts";
import { DOORS, type Door } from "./fuzz/world.ts";

/** Of the requests to a door, so many go to the gateway that asks who calls. */
const GUARDED = 0.25;
/** Of a fault, in characters. */
const LONGEST = 20_000;
/** Of them, so many are for warming up, at each door. */
const WARM = 0.25;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    doors: { type: "string" },
  },
});
const times = Number(values.times);
const seed = Number(values.seed);
const names = values.doors?.split(",") ?? DOORS.map(({ name }) => name);
const doors = DOORS.filter(({ name }) => names.includes(name));
if (doors.length < names.length) throw new Error(`not all of these are doors: ${names.join(", ")}`);
const work = mkdtempSync(join(tmpdir(), "a2a-fuzz-"));
console.log(`${times} mutated requests at each of ${doors.length} doors, seed ${seed}`);
try {
  const open = await besieged("open", Math.round(times * (1 - GUARDED)));
  const guarded = await besieged("guarded", Math.round(times * GUARDED));
  const faults = [...open, ...guarded];
  for (const fault of faults.slice(0, 20)) console.log(fault.slice(0, LONGEST));
  console.log(`${times * doors.length} requests: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function besieged(name: "open" | "guarded", runs: number): Promise<readonly string[]> {
  const stage = await openStage(name, join(work, `${name}.sqlite`));
  try {
    const faults: string[] = [];
    const warmUp = Math.round(runs * WARM);
    for (const door of doors) faults.push(...(await attacked(stage, door, warmUp, seed)));
    const warm = stage.gateway.samples.length;
    for (const door of doors)
      faults.push(...(await attacked(stage, door, runs - warmUp, seed + 1)));
    faults.push(...(await connectionsLeft(stage)));
    const { text, isFlat } = growthOf(stage.gateway.samples, warm);
    console.log(`${name}: ${text}`);
    if (!isFlat) faults.push(`memory grew: ${text}`);
    return [...faults, ...(await faultsOf(stage))].map((fault) => `${name}: ${fault}`);
  } finally {
    await stage.gateway.stop();
  }
}

async function attacked(
  { name, gateway, world }: Stage,
  door: Door,
  runs: number,
  seed: number,
): Promise<readonly string[]> {
  // What has ended answers nothing: each further door would say no more than that.
  if (gateway.end !== undefined) return [];
  const start = performance.now();
  const before = gateway.faults.length;
  const fault = await attack({ door, world, times: runs, seed });
  const seconds = (performance.now() - start) / 1000;
  const logged = gateway.faults.length - before;
  console.log(
    `${name}, ${door.name}: ${runs} requests in ${seconds.toFixed(1)} s, ` +
      `${fault === undefined ? "none" : "one"} answered wrongly, ${logged} bad lines in the log`,
  );
  return fault === undefined ? [] : [`${door.name}: ${fault}`];
}
