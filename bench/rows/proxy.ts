/**
 * SendMessage through the gateway to a remote agent: what it adds to calling the agent directly, beside what nginx adds
 * between the same two, and how much of the throughput of a handler of its own the gateway keeps.
 */
import { measure, type Load, type Measurement } from "../measure.ts";
import { sendMessage, type Binding } from "../operations.ts";
import { behind, withProxyWorld, type ProxyWorld } from "../proxy/world.ts";
import type { Target } from "../targets.ts";
import { alternate } from "./alternate.ts";
import type { Context } from "./context.ts";

/** Requests under way where latency counts. */
const FEW = [1, 8];
const NO_NGINX = "nginx is not installed";

export async function proxyRows(context: Context): Promise<void> {
  const { options, report } = context;
  await withProxyWorld(context, "proxy", async (world) => {
    report.head(
      "SendMessage through the gateway: the median that it adds over the one that nginx adds",
    );
    for (const binding of options.bindings)
      for (const lanes of FEW) await latencyRows(context, world, binding, lanes);
    report.head(`SendMessage through the gateway: throughput, ${options.lanes} under way`);
    for (const binding of options.bindings) await throughputRows(context, world, binding);
  });
}

async function latencyRows(
  { options, report }: Context,
  world: ProxyWorld,
  binding: Binding,
  lanes: number,
): Promise<void> {
  const targets = [world.remote, behind(world.gateway, binding), ...plainProxy(world, binding)];
  const loads = targets.map((target) => loadOf(target, binding));
  // So few calls as come one after another would leave the code half compiled.
  for (const load of loads)
    await measure({ ...load, lanes: options.lanes, seconds: options.warmup });
  const few = { ...options, lanes, warmup: 0 };
  const [direct, gateway, nginx] = await alternate(loads, few);
  if (!direct || !gateway) throw new Error("a server is missing");
  const ours = addedTo(direct, gateway);
  const door = `${binding}, ${lanes} at a time`;
  report.add({
    name: `added ms ${door}`,
    value: ours.p50,
    detail: `${p50And99(ours)} to ${p50And99(direct)} ms, ${ratesOf({ gateway, direct })}`,
  });
  // With more under way the load and the agent are what is waited for, and what nginx adds is lost in that.
  if (binding === "grpc" || lanes > 1) return;
  const name = `added over nginx ${door}`;
  if (nginx === undefined) return report.skip(name, NO_NGINX);
  const theirs = addedTo(direct, nginx);
  report.add({
    name,
    value: ours.p50 / theirs.p50,
    goal: "proxy added",
    detail: `${p50And99(ours)} of ${p50And99(theirs)} ms, ${ratesOf({ nginx })}`,
  });
}

async function throughputRows(
  { options, report }: Context,
  world: ProxyWorld,
  binding: Binding,
): Promise<void> {
  const { gateway, remote } = world;
  const targets = [gateway, behind(gateway, binding), remote, ...plainProxy(world, binding)];
  const loads = targets.map((target) => loadOf(target, binding));
  const [local, proxied, direct, nginx] = await alternate(loads, options);
  if (!local || !proxied || !direct) throw new Error("a server is missing");
  const cpu = `${proxied.cpu.toFixed(0)} of ${local.cpu.toFixed(0)} us`;
  const busy = `busy ${proxied.serverBusy.toFixed(2)} and ${local.serverBusy.toFixed(2)}`;
  report.add({
    name: `kept of local ${binding}`,
    value: proxied.rate / local.rate,
    goal: "proxy kept",
    detail: `${ratesOf({ proxied, local })}, ${cpu}, ${busy}`,
  });
  const name = `rate over nginx ${binding}`;
  if (binding === "grpc") return;
  if (nginx === undefined) return report.skip(name, NO_NGINX);
  report.add({
    name,
    value: proxied.rate / nginx.rate,
    detail: `${ratesOf({ proxied, nginx, direct })}, ${proxied.cpu.toFixed(0)} of ${nginx.cpu.toFixed(0)} us`,
  });
}

function plainProxy({ nginx }: ProxyWorld, binding: Binding): readonly Target[] {
  return nginx === undefined || binding === "grpc" ? [] : [nginx];
}

function loadOf(target: Target, binding: Binding): Omit<Load, "lanes" | "seconds"> {
  const world = { known: [], pageSize: 0, total: 0, deepToken: "" };
  return { target, operation: sendMessage, binding, world };
}

type Latency = Pick<Measurement, "p50" | "p99">;

function addedTo(direct: Latency, through: Latency): Latency {
  return { p50: through.p50 - direct.p50, p99: through.p99 - direct.p99 };
}

function p50And99({ p50, p99 }: Latency): string {
  return `${p50.toFixed(2)} (p99 ${p99.toFixed(2)})`;
}

function ratesOf(measurements: Readonly<Record<string, Measurement>>): string {
  return Object.entries(measurements)
    .map(([name, { rate }]) => `${name} ${rate.toFixed(0)}/s`)
    .join(", ");
}
