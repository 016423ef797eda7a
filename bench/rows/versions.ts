/** What an operation costs on a door of 0.3 over what its twin of 1.0 costs: server CPU per answer, in one run. */
import { olderGet, olderSend, olderStream } from "../older-operations.ts";
import { getTask, sendMessage, sendStreamingMessage, type Operation } from "../operations.ts";
import { worldOf } from "../world.ts";
import { alternate } from "./alternate.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

const PAIRS: readonly (readonly [newer: Operation, older: Operation])[] = [
  [sendMessage, olderSend],
  [sendStreamingMessage, olderStream],
  [getTask, olderGet],
];

export async function versionRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withTargets([startGateway(context)], async (target) => {
    if (!target) throw new Error("the server is missing");
    report.head(`0.3 over 1.0, ${options.lanes} under way`);
    const world = await worldOf(target, 0, 0);
    for (const pair of PAIRS)
      for (const binding of ["jsonrpc", "grpc"] as const) {
        const loads = pair.map((operation) => ({ target, operation, binding, world }));
        const [newer, older] = await alternate(loads, options);
        if (!newer || !older) continue;
        report.add({
          name: `${pair[0].name} ${binding} 0.3 over 1.0`,
          value: older.cpu / newer.cpu,
          goal: "versions",
          detail: `${older.cpu.toFixed(0)} of ${newer.cpu.toFixed(0)} us`,
        });
      }
  });
}
