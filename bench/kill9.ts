/**
 * Kills the built gateway with SIGKILL at random moments under load, starts it again on the same file each time, and
 * looks whether anything that it acknowledged is missing. Exit status 1 when something is.
 *
 *   node --import tsx bench/kill9.ts [--times 200] [--seed NUMBER] [--lanes 64] [--longest 700]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort, startGateway } from "./gateway.ts";
import { loadUntilKilled } from "./kill9/load.ts";
import { randomOf, type Random } from "./kill9/random.ts";
import { Records, type TaskRecord } from "./kill9/records.ts";
import { verify } from "./kill9/verify.ts";
import type { Target } from "./targets.ts";

/** The shortest life under load, in milliseconds. */
const SHORTEST_MS = 5;
/** So many tasks of earlier rounds are looked at again after each restart. */
const OLDER_TASKS = 50;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    lanes: { type: "string", default: "64" },
    longest: { type: "string", default: "700" },
  },
});
const random = randomOf(Number(values.seed));
const port = await freePort();
const work = mkdtempSync(join(tmpdir(), "a2a-kill9-"));
console.log(`kill -9 at ${values.times} moments, seed ${values.seed}`);
try {
  process.exitCode = (await killTimes(Number(values.times))) === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The number of faults. */
async function killTimes(times: number): Promise<number> {
  const older: TaskRecord[] = [];
  const totals = { tasks: 0, streams: 0, events: 0, faults: 0 };
  let gateway = await start(false);
  for (let time = 1; time <= times; time++) {
    const records = new Records();
    const delay = SHORTEST_MS + random() * (Number(values.longest) - SHORTEST_MS);
    const loading = loadUntilKilled(gateway, records, { lanes: Number(values.lanes), random });
    await sleep(delay);
    await gateway.stop("SIGKILL");
    const { calls, refusals } = await loading;
    gateway = await start(true);
    const tasks = records.all();
    const faults = [...refusals, ...(await verify(gateway, [...tasks, ...sampled(older, random)]))];
    const streams = tasks.flatMap((task) => task.streams);
    const events = streams.reduce((sum, stream) => sum + stream.events.length, 0);
    console.log(
      `${time}: killed after ${delay.toFixed(0)} ms and ${calls} calls; ${tasks.length} tasks, ` +
        `${streams.length} streams with ${events} events; ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 10)) console.log(`   ${fault}`);
    totals.tasks += tasks.length;
    totals.streams += streams.length;
    totals.events += events;
    totals.faults += faults.length;
    older.push(...tasks.filter((task) => task.streams.length === 0));
  }
  await gateway.stop();
  console.log(
    `${times} kills, ${totals.tasks} tasks, ${totals.streams} streams with ${totals.events} events: ` +
      `${totals.faults} faults`,
  );
  return totals.faults;
}

function start(again: boolean): Promise<Target> {
  return startGateway({ seed: 0, work, cpu: undefined, again, port });
}

function sampled(older: readonly TaskRecord[], pick: Random): readonly TaskRecord[] {
  const sample: TaskRecord[] = [];
  for (let count = 0; count < OLDER_TASKS && older.length > 0; count++) {
    const record = older[Math.floor(pick() * older.length)];
    if (record) sample.push(record);
  }
  return sample;
}
