/** The built gateway as a process of its own, with all that it logs and the memory that it has. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../gateway.ts";

const MAIN = join(import.meta.dirname, "../../dist/src/main.js");
const COLLECT = join(import.meta.dirname, "collect.mjs");
const START_MS = 60_000;
/** There is nothing left to be waited for but connections that have been broken off, and the database. */
const STOP_MS = 10_000;
/** A full collection takes some fifty milliseconds of it. */
const SAMPLE_MS = 1_000;

/** Of a line of the log: this is no life for a gateway. */
const BAD = /"level":"(?:error|fatal)"|call failed|not handled|uncaught/;

/** What a process has right after a full collection. */
export interface Sample {
  /** Resident memory, in bytes. */
  readonly resident: number;
  /** What is alive: the heap, and what it holds outside of itself; in bytes. */
  readonly alive: number;
}

export class GatewayProcess {
  readonly port: number;
  readonly opsPort: number;
  /** Lines of the log that should not be there. */
  readonly faults: string[] = [];
  readonly samples: Sample[] = [];
  readonly #child: ChildProcess;
  readonly #sampling: NodeJS.Timeout;
  #rest = "";
  #stopping: string | undefined;

  private constructor(child: ChildProcess, { port, opsPort }: { port: number; opsPort: number }) {
    this.port = port;
    this.opsPort = opsPort;
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.faults.push(text));
    child.on("message", (usage: NodeJS.MemoryUsage) => {
      const { rss: resident, heapUsed, external } = usage;
      this.samples.push({ resident, alive: heapUsed + external });
    });
    this.#sampling = setInterval(() => this.#ask(), SAMPLE_MS);
  }

  /** Starts it with a configuration of this folder and waits until it serves. */
  static async start(
    configuration: string,
    database: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<GatewayProcess> {
    const ports = { port: await freePort(), opsPort: await freePort() };
    const file = join(import.meta.dirname, configuration);
    const env = {
      ...process.env,
      ...environment,
      A2A_GATEWAY_LISTEN: `127.0.0.1:${ports.port}`,
      A2A_GATEWAY_OPS_LISTEN: `127.0.0.1:${ports.opsPort}`,
      A2A_GATEWAY_DATABASE: database,
    };
    const collecting = ["--expose-gc", "--import", COLLECT];
    const child = spawn(process.execPath, [...collecting, MAIN, "serve", file], {
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const gateway = new GatewayProcess(child, ports);
    await gateway.#ready();
    return gateway;
  }

  /** Undefined while it runs. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null
      ? undefined
      : `ended with ${signalCode ?? exitCode}`;
  }

  /** Stops it as an operator does; what it said of the work that was left, as JSON text. */
  async stop(): Promise<string | undefined> {
    clearInterval(this.#sampling);
    if (this.end === undefined) {
      const ended = once(this.#child, "exit");
      const late = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
      this.#child.kill("SIGTERM");
      await ended;
      clearTimeout(late);
    }
    return this.#stopping;
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const started = performance.now();
      const poll = setInterval(() => {
        const isLate = performance.now() - started > START_MS;
        if (!this.#isReady && this.end === undefined && !isLate) return;
        clearInterval(poll);
        if (this.#isReady) return resolve();
        clearInterval(this.#sampling);
        reject(new Error(`the gateway did not start: ${this.end} ${this.faults.join("\n")}`));
      }, 20);
    });
  }

  #isReady = false;

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (BAD.test(line)) this.faults.push(line);
      if (line.includes('"msg":"ready"')) this.#isReady = true;
      if (line.includes('"msg":"stopping"')) this.#stopping = line;
    }
  }

  #ask(): void {
    if (this.end !== undefined || !this.#isReady) return;
    // It may end meanwhile.
    this.#child.send("collect", () => undefined);
  }
}
