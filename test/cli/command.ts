/** Runs the command line as a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function command(
  args: readonly string[],
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = start(args, cwd, env);
  const [stdout, stderr] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    ended(child),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

export interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ready: Readonly<Record<string, unknown>>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts `serve` with these arguments and waits for its ready line. */
export async function serve(t: TestContext, args: readonly string[]): Promise<Serving> {
  const folder = await temporaryFolder(t);
  const child = start(["serve", ...args], folder, { A2A_GATEWAY_OPS_LISTEN: "127.0.0.1:0" });
  const end = ended(child);
  t.after(async () => {
    child.kill("SIGKILL");
    await end;
  });
  const errors = textOf(child.stderr);
  // A test may stop reading it.
  errors.catch(() => {});
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (ready["msg"] === "ready") {
      child.stdout.resume();
      return { child, url: String(ready["url"]), ready, ended: end };
    }
  }
  throw new Error(`serve ended before it was ready: ${await errors}`);
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-cli-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

export async function temporaryFile(t: TestContext, name: string, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), name);
  await writeFile(file, text);
  return file;
}

function start(args: readonly string[], cwd?: string, env: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, ["--import", TSX, MAIN, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("close", resolve);
  });
}
