/** The servers under load: read from targets/*.json, started on a core of their own, stopped by process id. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * How a server is started. In the texts, {node} is this Node, {dir} the folder of the file, {db} a new database file,
 * {seed} the number of tasks to have in it, {env:NAME} a variable of the environment.
 */
interface Entry {
  readonly name: string;
  readonly jsonrpc: string;
  readonly rest: string;
  readonly grpc: string;
  readonly start: {
    readonly cmd: readonly string[];
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** What stands in a line of its output once it serves. Default "ready". */
    readonly ready?: string;
  };
  /** Commands that run before, in the same folder. */
  readonly prepare?: readonly (readonly string[])[];
}

export interface Target {
  readonly name: string;
  readonly jsonrpc: string;
  readonly rest: string;
  readonly grpc: string;
  readonly pid: number;
  /** The agent that gRPC requests name as their tenant (spec 8.3.2); undefined: none. */
  readonly agent?: string;
  /** What its callers bring, in turn; undefined where nobody is asked. */
  readonly tokens?: readonly string[];
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
  readonly seed: number;
  /** The folder for databases. */
  readonly work: string;
  /** The database's name in it; the same name again is the same database. */
  readonly database?: string;
  /** The core to run on; undefined: any. */
  readonly cpu: number | undefined;
  /** Skips what comes before the start: the database is there already. */
  readonly again?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const START_SECONDS = 180;
const STOP_MS = 15_000;

/** Starts the server of that name from a file of targets and waits until it serves. */
export async function startTarget(
  file: string,
  name: string,
  options: StartOptions,
): Promise<Target> {
  const path = resolve(file);
  const { targets } = JSON.parse(readFileSync(path, "utf8")) as { targets: readonly Entry[] };
  const entry = targets.find((candidate) => candidate.name === name);
  if (!entry) throw new Error(`no target ${name} in ${file}`);
  const fill = filler(dirname(path), name, options);
  const cwd = fill(entry.start.cwd ?? "{dir}");
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const [key, value] of Object.entries({ ...entry.start.env, ...options.env }))
    env[key] = fill(value);
  if (!options.again)
    for (const [command = "", ...args] of entry.prepare ?? []) {
      const settings = {
        cwd,
        env,
        stdio: ["ignore", "ignore", "inherit"] as ["ignore", "ignore", "inherit"],
      };
      const { status } = spawnSync(fill(command), args.map(fill), settings);
      if (status !== 0) throw new Error(`${name}: ${command} ${args.join(" ")} failed`);
    }
  const pinned = options.cpu === undefined ? [] : ["taskset", "-c", String(options.cpu)];
  const [program = "", ...args] = [...pinned, ...entry.start.cmd.map(fill)];
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  await ready(child, name, entry.start.ready ?? "ready");
  const { jsonrpc, rest, grpc } = entry;
  return {
    name,
    jsonrpc,
    rest,
    grpc,
    pid: child.pid ?? 0,
    stop: (signal) => stopped(child, signal),
  };
}

function filler(dir: string, name: string, { seed, work, database }: StartOptions) {
  const db = join(work, `${database ?? name}.sqlite`);
  const values: Record<string, string> = {
    node: process.execPath,
    dir,
    db,
    seed: String(seed),
    work,
  };
  return (text: string) =>
    text
      .replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole)
      .replace(/\{env:(\w+)\}/g, (_, key: string) => process.env[key] ?? "");
}

function ready(child: ChildProcess, name: string, mark: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${name} did not start in ${START_SECONDS} s`));
    const timer = setTimeout(late, START_SECONDS * 1000);
    let output = "";
    child.stdout?.on("data", (data: Buffer) => {
      output = (output + data.toString()).slice(-4000);
      if (!output.includes(mark)) return;
      clearTimeout(timer);
      resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code}`));
    });
  });
}

/** Ends a process and waits for its end, by force after a while. */
export function stopped(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill(signal);
  });
}
