/** Calls per second beside the peer, which keeps its tasks in SQLite (synchronous=NORMAL) or in memory. */
import type { Measurement } from "../measure.ts";
import {
  getTask,
  listDeepPage,
  listFirstPage,
  sendMessage,
  sendStreamingMessage,
  type Binding,
  type Operation,
} from "../operations.ts";
import { goalOf } from "../report.ts";
import type { Target } from "../targets.ts";
import { rehearse, worldOf } from "../world.ts";
import { alternate } from "./alternate.ts";
import { startGateway, startPeer, withTargets, type Context } from "./context.ts";

const OPERATIONS = [listFirstPage, listDeepPage, getTask, sendMessage, sendStreamingMessage];
const DEEP_PAGES = 40;

export async function speedRows(context: Context): Promise<void> {
  const { options, report } = context;
  const { seed } = options;
  const operations = OPERATIONS.filter(({ name }) => options.operations?.includes(name) ?? true);
  const starting = [startGateway(context, { seed }), startPeer(context, "a2a-js", { seed })];
  await withTargets(starting, async (gateway, peer) => {
    report.head(`gateway over peer with SQLite, ${seed} tasks, ${options.lanes} under way`);
    for await (const { operation, binding, ours, theirs } of compared(
      context,
      operations,
      gateway,
      peer,
    )) {
      const name = `${operation.name} ${binding}`;
      const goal = goalOf(operation.name, binding);
      report.add({ name, value: ours.rate / theirs.rate, goal, detail: detailOf(ours, theirs) });
      if (operation !== sendMessage) continue;
      const detail = `p99 ${ours.p99.toFixed(1)} of ${theirs.p99.toFixed(1)} ms`;
      report.add({
        name: `send ${binding} p99`,
        value: ours.p99 / theirs.p99,
        goal: "p99",
        detail,
      });
    }
  });
}

export async function memoryRows(context: Context): Promise<void> {
  const { options, report } = context;
  const starting = [
    startGateway(context, { seed: options.seed }),
    startPeer(context, "a2a-js-memory"),
  ];
  await withTargets(starting, async (gateway, peer) => {
    report.head("gateway, durable, over peer in memory");
    for await (const { binding, ours, theirs } of compared(context, [sendMessage], gateway, peer)) {
      const goal = goalOf("memory", binding);
      const name = `send ${binding} over memory`;
      report.add({ name, value: ours.rate / theirs.rate, goal, detail: detailOf(ours, theirs) });
    }
  });
}

interface Comparison {
  readonly operation: Operation;
  readonly binding: Binding;
  readonly ours: Measurement;
  readonly theirs: Measurement;
}

async function* compared(
  { options }: Context,
  operations: readonly Operation[],
  gateway: Target | undefined,
  peer: Target | undefined,
): AsyncGenerator<Comparison> {
  if (!gateway || !peer) throw new Error("a server is missing");
  const lists = operations.some(({ method }) => method === "ListTasks");
  const targets = [gateway, peer];
  const loads = [];
  for (const target of targets) {
    const seed = lists ? options.seed : 0;
    const world = await worldOf(target, seed, lists ? DEEP_PAGES : 0);
    if (lists) await rehearse(target, world, options.bindings);
    loads.push({ target, world });
  }
  for (const operation of operations)
    for (const binding of options.bindings) {
      const rounds = loads.map((load) => ({ ...load, operation, binding }));
      const [ours, theirs] = await alternate(rounds, options);
      if (ours && theirs) yield { operation, binding, ours, theirs };
    }
}

function detailOf(ours: Measurement, theirs: Measurement): string {
  const rates = `${ours.rate.toFixed(0)} of ${theirs.rate.toFixed(0)}/s`;
  const cpu = `${ours.cpu.toFixed(0)} of ${theirs.cpu.toFixed(0)} us`;
  return `${rates}, ${cpu}, busy ${ours.serverBusy.toFixed(2)}, load ${ours.clientBusy.toFixed(2)}`;
}
