/** The command line of the benchmark. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { BINDINGS, type Binding } from "./operations.ts";

export const SECTIONS = [
  "speed",
  "memory",
  "versions",
  "access",
  "growth",
  "chunks",
  "idle",
  "fan-out",
  "proxy",
  "relay",
  "webhooks",
] as const;
export type Section = (typeof SECTIONS)[number];

export interface Options {
  readonly sections: readonly Section[];
  readonly operations: readonly string[] | undefined;
  readonly bindings: readonly Binding[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly lanes: number;
  readonly seed: number;
  /** Tasks in the smaller and the larger database of the growth rows. */
  readonly growth: readonly [small: number, large: number];
  readonly idleStreams: number;
  readonly chunks: number;
  /** Events in all of the row about the memory of a relay. */
  readonly relayed: number;
  readonly serverCpu: number | undefined;
  /** Of what the gateway calls. */
  readonly remoteCpu: number | undefined;
  readonly clientCpu: number | undefined;
  readonly json: string | undefined;
}

export const USAGE = `node --import tsx bench/bench.ts [options]
  --only speed,memory,versions,access,growth,chunks,idle,fan-out,proxy,relay,webhooks
                   sections to run (default: all)
  --ops send,stream,get,list,listdeep              operations of "speed" (default: all)
  --bindings jsonrpc,rest,grpc                     (default: all)
  --short          small and quick: to see that it works, not how fast it is
  --rounds 5       alternating rounds, of which the median counts
  --secs 2         seconds of a round           --warmup 1   seconds before the first
  --lanes 64       requests under way           --seed 100000   tasks in the files
  --json FILE      the rows as JSON             --no-pin   not a core each
Exit status 1 when an answer was wrong; 2 when a row misses what it must reach and --strict is given.`;

const SERVER_CPU = 0;
const CLIENT_CPU = 1;

const FULL = {
  rounds: 5,
  secs: 2,
  warmup: 1,
  seed: 100_000,
  growth: [1_000, 1_000_000],
  idle: 10_000,
  chunks: 20_000,
  relayed: 2_000_000,
};
const SHORT = {
  rounds: 1,
  secs: 1,
  warmup: 1,
  seed: 2_000,
  growth: [1_000, 20_000],
  idle: 1_000,
  chunks: 4_000,
  relayed: 200_000,
};

export function optionsOf(args: string[]): (Options & { readonly strict: boolean }) | "help" {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      ops: { type: "string" },
      bindings: { type: "string" },
      short: { type: "boolean", default: false },
      rounds: { type: "string" },
      secs: { type: "string" },
      warmup: { type: "string" },
      lanes: { type: "string", default: "64" },
      seed: { type: "string" },
      json: { type: "string" },
      "no-pin": { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const size = values.short ? SHORT : FULL;
  const [small = 0, large = 0] = size.growth;
  return {
    sections: chosen(values.only, SECTIONS),
    operations: values.ops?.split(","),
    bindings: chosen(values.bindings, BINDINGS),
    rounds: Number(values.rounds ?? size.rounds),
    seconds: Number(values.secs ?? size.secs),
    warmup: Number(values.warmup ?? size.warmup),
    lanes: Number(values.lanes),
    seed: Number(values.seed ?? size.seed),
    growth: [small, large],
    idleStreams: size.idle,
    chunks: size.chunks,
    relayed: size.relayed,
    serverCpu: values["no-pin"] ? undefined : SERVER_CPU,
    remoteCpu: values["no-pin"] ? undefined : remoteCpu(),
    clientCpu: values["no-pin"] ? undefined : CLIENT_CPU,
    json: values.json,
    strict: values.strict,
  };
}

function chosen<T extends string>(list: string | undefined, all: readonly T[]): readonly T[] {
  if (list === undefined) return all;
  return list.split(",").map((name) => {
    const found = all.find((candidate) => candidate === name);
    if (found === undefined) throw new Error(`no ${name}: expected ${all.join(", ")}`);
    return found;
  });
}

/** A third core, where there is one: what is measured keeps its own. */
function remoteCpu(): number {
  return cpus().length > 2 ? 2 : CLIENT_CPU;
}
