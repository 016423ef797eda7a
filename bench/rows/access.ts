/**
 * What it costs that callers say who they are by a token, and that policies say what they may do: how many answers a core
 * of the server gives with that over those that it gives without.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as gateway from "../gateway.ts";
import { getTask, sendMessage } from "../operations.ts";
import { goalOf } from "../report.ts";
import type { Target } from "../targets.ts";
import { issuedTokens } from "../tokens.ts";
import { worldOf } from "../world.ts";
import { alternate } from "./alternate.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

export async function accessRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withTargets([startGuarded(context), startGateway(context)], async (guarded, open) => {
    if (!guarded || !open) throw new Error("a server is missing");
    report.head(`tokens and policies over none, ${options.lanes} under way`);
    const targets = [
      { target: guarded, world: await worldOf(guarded, 0, 0) },
      { target: open, world: await worldOf(open, 0, 0) },
    ];
    for (const operation of [getTask, sendMessage])
      for (const binding of options.bindings) {
        const loads = targets.map((each) => ({ ...each, operation, binding }));
        const [asked, unasked] = await alternate(loads, options);
        if (!asked || !unasked) continue;
        report.add({
          name: `${operation.name} ${binding} with access`,
          value: unasked.cpu / asked.cpu,
          goal: goalOf(`${operation.name} with access`, binding),
          detail:
            `${asked.cpu.toFixed(1)} of ${unasked.cpu.toFixed(1)} us, ` +
            `${asked.rate.toFixed(0)} of ${unasked.rate.toFixed(0)}/s, ` +
            `load ${asked.clientBusy.toFixed(2)} of ${unasked.clientBusy.toFixed(2)}`,
        });
      }
  });
}

/** A token for each lane, all of one caller, whose tasks they find. */
async function startGuarded({ options, work }: Context): Promise<Target> {
  const { keySet, tokens } = issuedTokens(options.lanes);
  const keys = join(work, "keys.json");
  writeFileSync(keys, JSON.stringify(keySet));
  const start = {
    seed: 0,
    work,
    cpu: options.serverCpu,
    env: { A2A_BENCH_KEYS: keys },
    port: await gateway.freePort(),
  };
  return { ...(await gateway.startGateway(start, "guarded")), tokens };
}
