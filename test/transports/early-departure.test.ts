/** Callers that leave while it is still being found out who they are: nobody sees them leave the stream. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { UNASKED, type Principal } from "../../src/protocol/principal.ts";
import { scriptedService, ScriptedStream } from "../support/scripted-service.ts";
import { grpcClient, restClient, type TransportClient } from "../support/transport-clients.ts";
import { startTransports } from "../support/transports.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_WORKING" } } as const;

/** A service with one stream, and callers that are known once the test says so, in the order in which they came. */
function staged() {
  const stream = new ScriptedStream().push({ response: { task: TASK } });
  const service = scriptedService({ subscribeToTask: () => stream, getTask: async () => TASK });
  const asked: ((principal: Principal) => void)[] = [];
  let wake: () => void = () => undefined;
  const authenticate = (): Promise<Principal> =>
    new Promise((resolve) => {
      asked.push(resolve);
      wake();
    });
  const untilAsked = async (count: number): Promise<void> => {
    while (asked.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { stream, service, asked, authenticate, untilAsked };
}

async function noEvent(client: TransportClient, signal: AbortSignal): Promise<void> {
  await assert.rejects(client.open("subscribeToTask", { id: "t1" }, { signal }).next());
}

test("a stream on HTTP+JSON is left for whoever was gone before it began", async () => {
  const { stream, service, asked, authenticate, untilAsked } = staged();
  let seen: IncomingMessage | undefined;
  const addressOf = (req: IncomingMessage): string => {
    seen = req;
    return "";
  };
  const origins = { of: () => undefined, addressOf, headers: [] };
  const transports = await startTransports(service, { authenticate, origins });
  const leaving = new AbortController();
  const gone = noEvent(restClient(transports.port), leaving.signal);
  await untilAsked(1);
  const socket = seen?.socket ?? assert.fail();
  const closed = once(socket, "close");
  leaving.abort();
  await Promise.all([gone, closed]);
  asked[0]?.(UNASKED);
  await stream.returned;
  await transports.stop();
});

test("a stream on gRPC is left for whoever was gone before it began", async () => {
  const { stream, service, asked, authenticate, untilAsked } = staged();
  const transports = await startTransports(service, { authenticate });
  const client = grpcClient(transports.port);
  const leaving = new AbortController();
  const gone = noEvent(client, leaving.signal);
  await untilAsked(1);
  leaving.abort();
  await gone;
  // On the same connection this comes after the end of the first one.
  const next = client.call("getTask", { id: "t1" });
  await untilAsked(2);
  for (const known of asked) known(UNASKED);
  await Promise.all([next, stream.returned]);
  client.close();
  await transports.stop();
});
