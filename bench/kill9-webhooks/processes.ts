/** The two processes of the kill test: the gateway and the receiver of its webhooks, each with an address to come back to. */
import { createServer } from "node:net";
import { join } from "node:path";
import type { Random } from "../kill9/random.ts";
import { startTarget, type Target } from "../targets.ts";

const FILE = join(import.meta.dirname, "targets.json");
const HOST = "127.0.0.1";

export interface Processes {
  readonly gateway: Process;
  readonly receiver: Process;
  /** Where the gateway is administered. */
  readonly ops: string;
  /** What the receiver wrote down. */
  readonly journal: string;
}

export interface Process {
  /** The address, the same in all its lives. */
  readonly url: string;
  /** Ends it with SIGKILL and starts it again; resolves with the milliseconds that it was away. */
  restart(): Promise<number>;
  stop(): Promise<void>;
}

export interface Opening {
  /** A folder for the database and the journal. */
  readonly work: string;
  readonly random: Random;
  /** Whether the receiver does not always do what it answers. */
  readonly isLying: boolean;
}

/** Starts both. `stop` of each ends it. */
export async function openProcesses({ work, random, isLying }: Opening): Promise<Processes> {
  const journal = join(work, "journal");
  const receiverPort = await fixedPort(random);
  const receiver = await openProcess("receiver", work, receiverPort, () => ({
    RECEIVER_PORT: String(receiverPort),
    RECEIVER_JOURNAL: journal,
    // In each life others fail.
    RECEIVER_SEED: String(Math.floor(random() * 2 ** 32)),
    ...(isLying && { RECEIVER_LIES: "yes" }),
  }));
  try {
    const [port, opsPort] = [await fixedPort(random), await fixedPort(random)];
    const gateway = await openProcess("gateway", work, port, () => ({
      A2A_GATEWAY_LISTEN: `${HOST}:${port}`,
      A2A_GATEWAY_OPS_LISTEN: `${HOST}:${opsPort}`,
    }));
    return { gateway, receiver, ops: `http://${HOST}:${opsPort}`, journal };
  } catch (thrown) {
    await receiver.stop();
    throw thrown;
  }
}

async function openProcess(
  name: string,
  work: string,
  port: number,
  environment: () => Readonly<Record<string, string>>,
): Promise<Process> {
  const start = (): Promise<Target> =>
    startTarget(FILE, name, { seed: 0, work, cpu: undefined, env: environment() });
  let current = await start();
  return {
    url: `http://${HOST}:${port}`,
    async restart() {
      const killed = performance.now();
      await current.stop("SIGKILL");
      current = await start();
      return performance.now() - killed;
    },
    stop: () => current.stop(),
  };
}

/** Below those that outgoing connections take: one of these may have the port while its process is away. */
async function fixedPort(random: Random): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(random() * 20_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
