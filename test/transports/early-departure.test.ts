/** Callers that leave while it is still being found out who they are: nobody sees them leave the stream. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { test } from "node:test";
import { A2AError } from "../../src/protocol/errors.ts";
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

test("a stream on gRPC is never begun for whoever was gone before it was known who that is", async () => {
  const { service, asked, authenticate, untilAsked } = staged();
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
  await next;
  assert.deepEqual(
    service.received.map(({ operation }) => operation),
    ["getTask"],
  );
  client.close();
  await transports.stop();
});

for (const [name, isKnown] of [
  ["at once", true],
  ["after a while", false],
] as const)
  test(`on gRPC nobody's message is waited for before it is known who that is, ${name}`, async () => {
    const { service } = staged();
    const stranger = new A2AError("UNAUTHENTICATED", "who are you");
    const authenticate = (): Promise<Principal> => {
      if (isKnown) throw stranger;
      return Promise.reject(stranger);
    };
    const transports = await startTransports(service, { authenticate });
    const session = connect(transports.url);
    const path = "/lf.a2a.v1.A2AService/GetTask";
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
    const stream = session.request(headers, { endStream: false });
    const [answer] = await once(stream, "response");
    assert.equal(answer["grpc-status"], "16");
    assert.equal(service.received.length, 0);
    session.destroy();
    await transports.stop();
  });
