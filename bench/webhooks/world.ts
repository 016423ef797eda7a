/** The processes of the webhook row: the gateway and a receiver that costs next to nothing. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../gateway.ts";
import type { Context } from "../rows/context.ts";
import { startTarget, type Target } from "../targets.ts";

const FILE = join(import.meta.dirname, "targets.json");
const HOST = "127.0.0.1";
const POLL_MS = 20;

export interface WebhookWorld {
  readonly gateway: Target;
  /** The URL of the webhooks. */
  readonly receiver: string;
  /** Deliveries that the receiver has taken. */
  taken(): Promise<number>;
  /** Deliveries that are still to be made. */
  due(): Promise<number>;
  /** Resolves when nothing is due any more. */
  drained(): Promise<void>;
}

/** Runs with the processes, which are stopped whatever happens. */
export async function withWebhookWorld(
  { options, work }: Context,
  run: (world: WebhookWorld) => Promise<void>,
): Promise<void> {
  const open: Target[] = [];
  const start = async (name: string, cpu: number | undefined, env: Record<string, string>) => {
    const target = await startTarget(FILE, name, { seed: 0, work, database: "webhooks", cpu, env });
    open.push(target);
    return target;
  };
  const [receiverPort, port, opsPort] = [await freePort(), await freePort(), await freePort()];
  const counts = `http://${HOST}:${opsPort}/admin/deliveries/counts`;
  const receiver = `http://${HOST}:${receiverPort}/`;
  const due = async () => ((await (await fetch(counts)).json()) as { readonly due: number }).due;
  try {
    await start("receiver", options.remoteCpu, { RECEIVER_PORT: String(receiverPort) });
    const started = await start("gateway", options.serverCpu, {
      A2A_GATEWAY_LISTEN: `${HOST}:${port}`,
      A2A_GATEWAY_OPS_LISTEN: `${HOST}:${opsPort}`,
    });
    const url = `http://${HOST}:${port}`;
    await run({
      gateway: { ...started, jsonrpc: `${url}/`, rest: url, grpc: `${HOST}:${port}` },
      receiver,
      taken: async () => Number(await (await fetch(receiver)).text()),
      due,
      async drained() {
        while ((await due()) > 0) await sleep(POLL_MS);
      },
    });
  } finally {
    for (const target of open.toReversed()) await target.stop();
  }
}
