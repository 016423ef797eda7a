/** The built gateway as a process of its own, with all that it logs and the memory that it has. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../gateway.ts";
import { memoryOf } from "../process-stats.ts";

const MAIN = join(import.meta.dirname, "../../dist/src/main.js");
const START_MS = 60_000;
/** Connections that Node no longer reads end with the grace of a stop (stage.ts); then the database is closed. */
const STOP_MS = 60_000;
const SAMPLE_MS = 250;

/** Of a line of the log: this is no life for a gateway. */
const BAD = /"level":"(?:error|fatal)"|call failed|not handled|uncaught/;
/** `… Mark-Compact 41.2 (70.1) -> 20.4 (68.9) MB …`: what is alive after a full collection. */
const COLLECTED = /Mark-Compact.*? -> (\d+(?:\.\d+)?) \(/;

export interface Sample {
  /** Resident memory, in bytes. */
  readonly resident: number;
  /** Of the heap, what the newest full collection found alive, in bytes. */
  readonly alive: number;
  /** How many full collections there have been. */
  readonly collections: number;
}

export class GatewayProcess {
  readonly port: number;
  readonly opsPort: number;
  /** Lines of the log that should not be there. */
  readonly faults: string[] = [];
  readonly samples: Sample[] = [];
  readonly #child: ChildProcess;
  readonly #sampling: NodeJS.Timeout;
  #alive = 0;
  #collections = 0;
  #rest = "";
  #stopping: string | undefined;

  private constructor(child: ChildProcess, { port, opsPort }: { port: number; opsPort: number }) {
    this.port = port;
    this.opsPort = opsPort;
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.faults.push(text));
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS);
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
    const child = spawn(process.execPath, ["--trace-gc", MAIN, "serve", file], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
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
      const alive = COLLECTED.exec(line)?.[1];
      if (alive !== undefined) {
        this.#alive = Number(alive) * 2 ** 20;
        this.#collections++;
      }
      if (BAD.test(line)) this.faults.push(line);
      if (line.includes('"msg":"ready"')) this.#isReady = true;
      if (line.includes('"msg":"stopping"')) this.#stopping = line;
    }
  }

  #sample(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.end !== undefined || !this.#isReady) return;
    this.samples.push({
      resident: memoryOf(pid),
      alive: this.#alive,
      collections: this.#collections,
    });
  }
}
