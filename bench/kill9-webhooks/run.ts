/** One run: load, kills, and what came of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../kill9/random.ts";
import { check, type Fault, type Verdict } from "./check.ts";
import { endTasks } from "./end-tasks.ts";
import { Hooks } from "./hooks.ts";
import { readJournal } from "./journal.ts";
import { runLoad, type Progress } from "./load.ts";
import { Outbox, type Counts } from "./outbox.ts";
import { openProcesses, type Processes } from "./processes.ts";

export interface Run {
  readonly tasks: number;
  /** How often something is killed. */
  readonly times: number;
  /** Whether the receiver is to give the check something to find. */
  readonly isLying: boolean;
  readonly random: Random;
}

/** Between two looks at how far the load is, in milliseconds. */
const LOOK_MS = 10;
/** The outbox must get emptier within that time, in milliseconds. */
const PATIENCE_MS = 60_000;

const KILLS: Readonly<Record<string, (processes: Processes) => Promise<number>>> = {
  "the gateway": ({ gateway }) => gateway.restart(),
  "the receiver": ({ receiver }) => receiver.restart(),
  both: async ({ gateway, receiver }) =>
    Math.max(...(await Promise.all([gateway.restart(), receiver.restart()]))),
};

/** What was wrong. */
export async function run(settings: Run): Promise<readonly Fault[]> {
  const { random, isLying } = settings;
  const work = mkdtempSync(join(tmpdir(), "a2a-kill9-"));
  try {
    const processes = await openProcesses({ work, random, isLying });
    const outbox = new Outbox(processes.ops);
    try {
      return await runBetween(processes, outbox, settings);
    } finally {
      outbox.close();
      await processes.gateway.stop();
      await processes.receiver.stop();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function runBetween(
  processes: Processes,
  outbox: Outbox,
  settings: Run,
): Promise<readonly Fault[]> {
  const { random, tasks, isLying } = settings;
  const { journal } = processes;
  const began = performance.now();
  const gateway = processes.gateway.url;
  const receiver = processes.receiver.url;
  const hooks = new Hooks();
  const progress: Progress = { begun: 0, cut: 0, refusals: [] };
  const room = () => outbox.room();
  await Promise.all([
    runLoad({ gateway, receiver, hooks, random, tasks, isLying, room }, progress),
    killTimes(processes, progress, settings),
  ]);
  await endTasks(gateway);
  const left = await outbox.drained(PATIENCE_MS);
  const seconds = (performance.now() - began) / 1000;
  const verdict = await check(gateway, hooks.all(), readJournal(journal));
  const faults = [...verdict.faults, ...otherFaults(progress, left)];
  const cut = `${progress.cut} calls cut, at most ${outbox.most} deliveries due at a time`;
  console.log(`${tasks} tasks in ${seconds.toFixed(1)} s, ${cut}; ${figuresOf(verdict, seconds)}`);
  console.log(`${settings.times} kills: ${countsOf(faults)}`);
  return faults;
}

/** Spread over the whole load, each at a moment of chance. */
async function killTimes(
  processes: Processes,
  progress: Progress,
  { times, tasks, random }: Run,
): Promise<void> {
  const kills = Object.entries(KILLS);
  for (let time = 0; time < times; time++) {
    const moment = Math.floor(((time + random()) / times) * tasks);
    while (progress.begun < moment) await sleep(LOOK_MS);
    const [name = "", kill] = kills[time % kills.length] ?? [];
    const away = (await kill?.(processes)) ?? 0;
    console.log(`${time + 1}: killed ${name} at task ${moment}, away for ${away.toFixed(0)} ms`);
  }
}

function otherFaults({ refusals }: Progress, { due, dead }: Counts): readonly Fault[] {
  const faults = refusals.map((text): Fault => ({ kind: "refused", text }));
  if (due > 0) faults.push({ kind: "left", text: `${due} deliveries are still due` });
  if (dead > 0) faults.push({ kind: "left", text: `${dead} deliveries were given up` });
  return faults;
}

function figuresOf({ checked, events, tries, repeats }: Verdict, seconds: number): string {
  const rate = (events / seconds).toFixed(0);
  return (
    `${checked} webhooks were told ${events} events, ${rate}/s, in ${tries} tries, ` +
    `${repeats} more than once`
  );
}

function countsOf(faults: readonly Fault[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`);
  return `${faults.length} faults${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`;
}
