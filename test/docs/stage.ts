/** What a guide's commands need around them: the gateway of the guide, and what stands behind and before it. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { AgentCard } from "../../src/protocol/agent-card.ts";
import type { Step } from "./console.ts";
import { endedByNumberIn, endedWith } from "./ended-with.ts";

const ROOT = resolve(import.meta.dirname, "../..");
export const DOCS = join(ROOT, "docs");
const NODE = [process.execPath, "--import", import.meta.resolve("tsx")] as const;
const MAIN = join(ROOT, "src/main.ts");

/** Rewrites what a guide says into what is true here. */
export type Localised = (text: string) => string;

export interface Stage {
  readonly localised: Localised;
  /** The output of each step, errors included. One shell runs them all. */
  run(steps: readonly Step[]): Promise<readonly string[]>;
}

/** A folder of its own, in which `a2a-gateway` is a command, and the files that guides name are. */
export async function stageFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-guide-"));
  // What the commands have started and not ended; asked for while the folder is there.
  endedByNumberIn(t, join(folder, "receiver.pid"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const command = [...NODE, MAIN].map((word) => `'${word}'`).join(" ");
  const script = `#!/bin/sh\nexec ${command} "$@"\n`;
  await writeFile(join(folder, "a2a-gateway"), script, { mode: 0o755 });
  for (const name of ["docs", "examples"]) await symlink(join(ROOT, name), join(folder, name));
  return folder;
}

export function stageOf(folder: string, localised: Localised): Stage {
  return {
    localised,
    async run(steps) {
      // Answers are compared by value, so the filter that only makes them pretty is not needed.
      const commands = steps.map(({ command }) => localised(command).replace(/ \| jq$/, ""));
      const script = ["exec 2>&1", ...commands.map((each) => `${each}\nprintf '\\n${END}\\n'`)];
      const env = {
        ...process.env,
        HOME: folder,
        A2A_GATEWAY_ADMIN: localised("http://127.0.0.1:9090"),
        PATH: `${folder}${delimiter}${process.env["PATH"]}`,
      };
      const child = spawn("sh", ["-c", script.join("\n")], { cwd: folder, env });
      let output = "";
      for await (const chunk of child.stdout.setEncoding("utf8")) output += chunk;
      return output.split(`\n${END}\n`).slice(0, -1);
    },
  };
}

const END = "---- end of the answer ----";

/**
 * Starts the gateway of a guide on free ports; its log is `gateway.log`. Gives what its addresses have become. It signs
 * deliveries in the name of the port that it is told to listen on, so that one that does so needs it beforehand.
 */
export async function startGateway(
  t: TestContext,
  folder: string,
  config: string,
  port = 0,
): Promise<ReadonlyMap<string, string>> {
  const file = join(folder, "gateway.yaml");
  const settings = config
    .replace(/^(listen|database): .*\n/gm, "")
    .replace(/^( +)port: \d+$/gm, "$1port: 0");
  await writeFile(file, `listen: 127.0.0.1:${port}\ndatabase: ./gateway.db\n${settings}`);
  const log = join(folder, "gateway.log");
  // No output of a process may be ours: whoever reads that would wait for the process, too, if we ended before it.
  const redirected = `exec "$@" > '${log}' 2> '${log}.errors'`;
  const child = spawn("sh", ["-c", redirected, "sh", ...NODE, MAIN, "serve", file], {
    env: { ...process.env, A2A_GATEWAY_OPS_LISTEN: "127.0.0.1:0" },
    stdio: "ignore",
  });
  endedWith(t, child);
  const { url, ops } = await readyLineIn(log, child);
  const addresses = new Map([
    ["127.0.0.1:8080", new URL(url).host],
    ["127.0.0.1:9090", new URL(ops).host],
  ]);
  const [, agent, ownPort] = OWN_PORT.exec(config) ?? [];
  if (agent !== undefined) {
    const { supportedInterfaces } = await cardAt(`${url}/a2a/${agent}`);
    addresses.set(`127.0.0.1:${ownPort}`, new URL(supportedInterfaces[0]?.url ?? "").host);
  }
  return addresses;
}

/** An agent that has a port of its own, and that port. */
const OWN_PORT = /^ {2}([\w-]+):\n(?: {4}.*\n)*? {4}port: (\d+)$/m;

interface ReadyLine {
  readonly msg: string;
  readonly url: string;
  readonly ops: string;
}

async function readyLineIn(file: string, child: ChildProcess): Promise<ReadyLine> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    const lines = text.split("\n").slice(0, -1);
    const ready = lines.map((line) => JSON.parse(line) as ReadyLine).find(isReady);
    if (ready !== undefined) return ready;
    if (child.exitCode !== null)
      throw new Error(`the gateway ended: ${await readFile(`${file}.errors`, "utf8")}`);
    await setTimeout(20);
  }
}

function isReady({ msg }: ReadyLine): boolean {
  return msg === "ready";
}

/** The card of 1.0 below an address. */
async function cardAt(address: string): Promise<AgentCard> {
  const headers = { "A2A-Version": "1.0" };
  const answer = await fetch(`${address}/.well-known/agent-card.json`, { headers });
  return (await answer.json()) as AgentCard;
}

/** The agent of examples/legacy; its address. */
export async function startLegacyAgent(t: TestContext): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, "examples/legacy/agent.mjs")], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  endedWith(t, child);
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return new URL(url).host;
  }
  throw new Error("the agent ended");
}

/** Resolves when the gateway has read the card of the agent behind it, which it does on its own. */
export async function knowsVersion(address: string, version: string): Promise<void> {
  while ((await cardAt(`http://${address}`)).version !== version) await setTimeout(20);
}
