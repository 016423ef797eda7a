import { join } from "node:path";
import * as gateway from "../gateway.ts";
import type { Options } from "../options.ts";
import { installPeer } from "../peers/install.ts";
import type { Report } from "../report.ts";
import { startTarget, type StartOptions, type Target } from "../targets.ts";

/** What every section gets. */
export interface Context {
  readonly options: Options;
  readonly report: Report;
  /** A folder for databases, removed at the end. */
  readonly work: string;
}

const TARGETS = join(import.meta.dirname, "../targets");

export async function startGateway(
  context: Context,
  start: Partial<StartOptions> = {},
): Promise<Target> {
  return gateway.startGateway({ ...settingsOf(context, start), port: await gateway.freePort() });
}

export function startPeer(
  context: Context,
  name: "a2a-js" | "a2a-js-memory",
  start: Partial<StartOptions> = {},
): Promise<Target> {
  installPeer();
  return startTarget(join(TARGETS, "a2a-js.json"), name, settingsOf(context, start));
}

function settingsOf({ options, work }: Context, start: Partial<StartOptions>): StartOptions {
  return { seed: 0, work, cpu: options.serverCpu, ...start };
}

/** Runs with servers that are stopped whatever happens. */
export async function withTargets<T>(
  starting: readonly Promise<Target>[],
  run: (...targets: Target[]) => Promise<T>,
): Promise<T> {
  const settled = await Promise.allSettled(starting);
  const targets = settled.flatMap((result) =>
    result.status === "fulfilled" ? [result.value] : [],
  );
  try {
    for (const result of settled) if (result.status === "rejected") throw result.reason;
    return await run(...targets);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
