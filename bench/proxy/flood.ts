/** Tasks of the remote agent that it tells as fast as it is read: one artifact in many chunks, through the gateway. */
import { performance } from "node:perf_hooks";
import type { Connection } from "../clients/client.ts";
import { eventCounter } from "../live-streams.ts";
import { openConnections } from "../measure.ts";
import {
  modelOf,
  newMessage,
  requestOf,
  sendMessage,
  sendStreamingMessage,
  SUCCESS,
  type Binding,
} from "../operations.ts";
import type { Target } from "../targets.ts";

export interface Flood {
  readonly target: Target;
  readonly binding: Binding;
  /** Tasks at a time. */
  readonly streams: number;
  /** Of each task. */
  readonly chunks: number;
}

/** Chunks per second that came to clients, each of which reads one task as a stream. Throws when one is missing. */
export function streamed(flood: Flood): Promise<number> {
  return rateOf(flood, sendStreamingMessage, async (connection) => {
    const { target, binding, chunks } = flood;
    const { params } = newMessage(`flood ${chunks}`);
    const route = "POST /message:stream";
    const request = requestOf(target, binding, "SendStreamingMessage", params, route);
    const count = binding === "grpc" ? () => 1 : eventCounter();
    let events = 0;
    let end: Buffer = Buffer.alloc(0);
    const { status } = await connection.call(request, (data) => {
      events += count(data);
      end = data;
    });
    if (status !== SUCCESS[binding] || events < chunks)
      throw new Error(`status ${status}, ${events} of ${chunks} events: ${lastOf(end)}`);
  });
}

/** Chunks per second that came to the store: nobody reads the tasks while they run, and each is answered whole. */
export function stored(flood: Flood): Promise<number> {
  return rateOf(flood, sendMessage, async (connection) => {
    const { target, binding, chunks } = flood;
    const { params } = newMessage(`flood ${chunks}`);
    const request = requestOf(target, binding, "SendMessage", params, "POST /message:send");
    const { task } = modelOf<{ task: Told }>(
      binding,
      "SendMessage",
      await connection.call(request),
    );
    const parts = task.artifacts?.[0]?.parts?.length ?? 0;
    if (parts !== chunks) throw new Error(`${parts} of ${chunks} chunks`);
  });
}

interface Told {
  readonly artifacts?: readonly { readonly parts?: readonly unknown[] }[];
}

async function rateOf(
  { target, binding, streams, chunks }: Flood,
  operation: typeof sendMessage,
  run: (connection: Connection) => Promise<void>,
): Promise<number> {
  const connections = await openConnections(target, binding, operation, streams);
  try {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: streams }, async (_, index) => {
        const connection = connections[index % connections.length];
        if (connection) await run(connection);
      }),
    );
    return (streams * chunks * 1000) / (performance.now() - start);
  } finally {
    for (const connection of connections) connection.close();
  }
}

function lastOf(data: Buffer): string {
  return data.toString("utf8", Math.max(0, data.length - 300)).trim();
}
