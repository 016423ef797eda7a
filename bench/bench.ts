/**
 * Measures the built gateway beside the public SDK's own server: the same work, in one run, on one core each for server
 * and load, in alternating rounds. Only the ratios travel from machine to machine. See --help.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { optionsOf, USAGE, type Section } from "./options.ts";
import { Report } from "./report.ts";
import { accessRows } from "./rows/access.ts";
import { chunkRows } from "./rows/chunks.ts";
import { fanOutRows } from "./rows/fan-out.ts";
import { growthRows } from "./rows/growth.ts";
import { idleRows } from "./rows/idle.ts";
import { webhookRows } from "./rows/webhooks.ts";
import { proxyRows } from "./rows/proxy.ts";
import { relayRows } from "./rows/relay.ts";
import { memoryRows, speedRows } from "./rows/speed.ts";
import { versionRows } from "./rows/versions.ts";
import type { Context } from "./rows/context.ts";

const PINNED = "A2A_BENCH_PINNED";

const ROWS: Readonly<Record<Section, (context: Context) => Promise<void>>> = {
  speed: speedRows,
  memory: memoryRows,
  versions: versionRows,
  access: accessRows,
  growth: growthRows,
  chunks: chunkRows,
  idle: idleRows,
  "fan-out": fanOutRows,
  proxy: proxyRows,
  webhooks: webhookRows,
  relay: relayRows,
};

const options = optionsOf(process.argv.slice(2));
if (options === "help") {
  console.log(USAGE);
} else if (options.clientCpu !== undefined && process.env[PINNED] === undefined) {
  process.exitCode = againPinned(options.clientCpu);
} else {
  const work = mkdtempSync(join(tmpdir(), "a2a-bench-"));
  const report = new Report();
  try {
    for (const section of options.sections) await ROWS[section]({ options, report, work });
    const missed = report.close(options.json);
    if (missed.length > 0 && options.strict) process.exitCode = 2;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs this program once more, on its core. */
function againPinned(cpu: number): number {
  const command = [
    "taskset",
    "-c",
    String(cpu),
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ];
  const env = { ...process.env, [PINNED]: "yes" };
  const [program = "", ...args] = command;
  const { status, error } = spawnSync(program, args, { stdio: "inherit", env });
  if (error)
    throw new Error("cannot pin to a core: is taskset there? else --no-pin", { cause: error });
  return status ?? 1;
}
