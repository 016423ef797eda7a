/**
 * Kills the built gateway and a remote agent behind it with SIGKILL while tasks run, and looks whether every task ends as
 * the remote agent says, with no event lost or told twice. In turn: the gateway is killed, the remote agent, both. Exit
 * status 1 when something is wrong.
 *
 *   node --import tsx bench/kill9-upstream.ts [--times 9] [--seed NUMBER] [--tasks 100] [--chunks 20]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { randomOf } from "./kill9/random.ts";
import { watchTasks, type Load } from "./kill9/upstream-tasks.ts";
import { verifyUpstream } from "./kill9/upstream-verify.ts";
import { AGENTS, openWorld, type World } from "./kill9/upstream-world.ts";

/** Before each chunk of a task. */
const PAUSE_MS = 120;
const DEADLINE_MS = 60_000;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "9" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    tasks: { type: "string", default: "100" },
    chunks: { type: "string", default: "20" },
  },
});
const KILLS = {
  "the gateway": ({ gateway }: World) => gateway.restart(),
  "the remote agent": ({ remote }: World) => remote.restart(),
  both: async ({ gateway, remote }: World) =>
    Math.max(...(await Promise.all([gateway.restart(), remote.restart()]))),
};
const random = randomOf(Number(values.seed));
const load: Load = {
  count: Number(values.tasks),
  chunks: Number(values.chunks),
  pauseMs: PAUSE_MS,
  deadlineMs: DEADLINE_MS,
};
const work = mkdtempSync(join(tmpdir(), "a2a-kill9-"));
console.log(`kill -9 at ${values.times} moments, ${load.count} tasks each, seed ${values.seed}`);
const world = await openWorld(work, random);
try {
  process.exitCode = (await killTimes(Number(values.times))) === 0 ? 0 : 1;
} finally {
  await world.gateway.stop();
  await world.remote.stop();
  rmSync(work, { recursive: true, force: true });
}

/** The number of faults. */
async function killTimes(times: number): Promise<number> {
  const kills = Object.entries(KILLS);
  const totals = { tasks: 0, events: 0, cuts: 0, caughtUp: 0, faults: 0 };
  for (let time = 1; time <= times; time++) {
    const [name = "", kill] = kills[(time - 1) % kills.length] ?? [];
    const began = performance.now();
    const { tasks, begun, ended } = watchTasks(world.gateway.target(), AGENTS, load);
    await begun;
    const delay = random() * (load.chunks - 2) * PAUSE_MS;
    await sleep(delay);
    const away = await kill?.(world);
    await ended;
    const took = performance.now() - began;
    const sides = { gateway: world.gateway.target(), remote: world.remote.target() };
    const { faults, events, caughtUp } = await verifyUpstream(sides, tasks);
    const cuts = tasks.reduce((sum, task) => sum + task.cuts, 0);
    console.log(
      `${time}: killed ${name} ${delay.toFixed(0)} ms after the first chunks, away for ${away?.toFixed(0)} ms; ` +
        `all ended after ${(took / 1000).toFixed(1)} s; ${cuts} streams cut, ${events} events, ` +
        `${caughtUp} of which caught up; ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 10)) console.log(`   ${fault}`);
    totals.tasks += tasks.length;
    totals.events += events;
    totals.cuts += cuts;
    totals.caughtUp += caughtUp;
    totals.faults += faults.length;
  }
  console.log(
    `${times} kills, ${totals.tasks} tasks with ${totals.events} events over ${totals.cuts} cut streams, ` +
      `${totals.caughtUp} events caught up: ${totals.faults} faults`,
  );
  return totals.faults;
}
