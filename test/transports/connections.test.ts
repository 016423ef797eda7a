/** Connections that take more than they may: too many, too slow, or busy with nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, test } from "node:test";
import type { A2AService } from "../../src/protocol/service.ts";
import { createConnections } from "../../src/transports/connections.ts";
import {
  callHead,
  flood,
  frame,
  openHttp2,
  PING,
  reset,
  SETTINGS,
  TYPE,
} from "../support/http2-frames.ts";
import { openHttp, sendHttp } from "../support/http-client.ts";
import { scriptedService } from "../support/scripted-service.ts";
import { grpcClient } from "../support/transport-clients.ts";
import { startTransports, type Transports, type TransportSettings } from "../support/transports.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_COMPLETED" } } as const;
const GET_TASK = "/lf.a2a.v1.A2AService/GetTask";

let transports: Transports;
afterEach(() => transports.stop());

async function start(
  limits: TransportSettings["limits"],
  script: Partial<A2AService> = { getTask: async () => TASK },
): Promise<number> {
  transports = await startTransports(scriptedService(script), { limits: limits ?? {} });
  return transports.port;
}

async function open(port: number): Promise<Socket> {
  // What the other side ends does not end this one: it has to be cut there.
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  await once(socket, "connect");
  return socket.on("error", () => undefined).resume();
}

/** Everything that comes until the connection is gone, and not just ended on the other side. */
async function untilGone(socket: Socket, piece = " ", isDripping = false): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  const write = (): void => void (socket.writable && socket.write(piece, "latin1"));
  let drip = isDripping ? setInterval(write, 5) : undefined;
  socket.on("end", () => (drip ??= setInterval(write, 5)));
  // Not `once`, which an error would break off that comes before it.
  if (!socket.closed) await new Promise((resolve) => socket.on("close", resolve));
  clearInterval(drip);
  return text;
}

function dripUntilGone(socket: Socket, piece: string): Promise<string> {
  return untilGone(socket, piece, true);
}

const isServed = async (port: number): Promise<boolean> =>
  (await sendHttp(port, { path: "/tasks/t1" })).status === 200;

describe("the number of connections", () => {
  test("has a limit in all: one more is closed at once, and told of once", async () => {
    const port = await start({ total: 2 });
    const sockets = [await open(port), await open(port)];
    for (let index = 0; index < 5; index++) await untilGone(await open(port));
    assert.equal(transports.logged.length, 1);
    const [{ message, limit, refused }] = transports.logged as [Record<string, unknown>];
    assert.deepEqual(
      { message, limit, refused },
      { message: "connections refused", limit: "total", refused: 1 },
    );
    sockets[0]?.destroy();
    while (!(await isServed(port).catch(() => false)));
    sockets[1]?.destroy();
  });

  test("has a limit for one address", async () => {
    const port = await start({ perAddress: 1 });
    const first = await open(port);
    assert.equal(await untilGone(await open(port)), "");
    first.destroy();
    while (!(await isServed(port).catch(() => false)));
  });

  test("has none for a trusted proxy, and one for a network of IPv6", () => {
    const lines: object[] = [];
    const connections = createConnections({
      limits: { total: 10, perAddress: 1 },
      isProxy: (address) => address === "10.0.0.1",
      log: { warn: (fields) => void lines.push(fields) },
    });
    const admits = (remoteAddress: string): boolean => {
      const socket = { remoteAddress, once: () => undefined, destroy: () => undefined };
      return connections.admit(socket as unknown as Socket);
    };
    const addresses = ["10.0.0.1", "10.0.0.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"];
    assert.deepEqual(addresses.map(admits), [true, true, true, false, true]);
    assert.equal(lines.length, 1);
  });
});

describe("a slow sender", () => {
  test("of headers is answered 408 and cut", async () => {
    const port = await start({ headTimeout: 80 });
    const socket = await open(port);
    socket.write("GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n");
    assert.match(await dripUntilGone(socket, "a: b\r\n"), /^HTTP\/1\.1 408 /);
    assert.ok(await isServed(port));
  });

  test("of a body is answered 408 and cut", async () => {
    const port = await start({ headTimeout: 80, requestTimeout: 100 });
    const socket = await open(port);
    socket.write(
      "POST /message:send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{",
    );
    assert.match(await dripUntilGone(socket, " "), /^HTTP\/1\.1 408 /);
    assert.ok(await isServed(port));
  });

  test("of a body that nobody reads any more is cut", async () => {
    const port = await start({ headTimeout: 80, requestTimeout: 100 });
    const socket = await open(port);
    socket.write("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{");
    assert.match(await dripUntilGone(socket, " "), /^HTTP\/1\.1 404 /);
  });

  test("of a gRPC message has its call ended, and then its connection", async () => {
    const port = await start({ headTimeout: 100, requestTimeout: 100, idleTimeout: 100 });
    const socket = await openHttp2(port);
    socket.write(callHead(1, GET_TASK));
    const received = await dripUntilGone(
      socket.resume(),
      frame({ type: TYPE.data, stream: 1, payload: Buffer.from([0]) }).toString("latin1"),
    );
    assert.ok(received.includes(reset(1).toString("latin1")));
    assert.ok(await isServed(port));
  });
});

describe("an idle connection", () => {
  for (const [name, bytes] of [
    ["that has opened as HTTP/2", ""],
    [
      "that stops within the headers of HTTP/2",
      callHead(1, GET_TASK).subarray(0, 20).toString("latin1"),
    ],
  ] as const)
    test(`${name} is closed`, async () => {
      const port = await start({ idleTimeout: 80 });
      const socket = await openHttp2(port);
      socket.write(bytes, "latin1");
      await untilGone(socket.resume());
    });

  test("that has been answered over HTTP/1.1 is closed", async () => {
    const port = await start({ idleTimeout: 50 });
    const socket = await open(port);
    socket.write("GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(await untilGone(socket), /^HTTP\/1\.1 200 /);
  });
});

test("a stream lives on, however long it says nothing, and ends as it should", async () => {
  const limits = { headTimeout: 40, requestTimeout: 60, idleTimeout: 40 };
  let end: (() => void)[] = [];
  const port = await start(limits, {
    getTask: async () => TASK,
    async *subscribeToTask() {
      yield { response: { task: TASK } };
      await new Promise<void>((resolve) => end.push(resolve));
      yield { response: { statusUpdate: { taskId: "t1", contextId: "c", status: TASK.status } } };
    },
  });
  const sse = await openHttp(port, { path: "/tasks/t1:subscribe" });
  const grpc = grpcClient(port);
  const items = grpc.open("subscribeToTask", { id: "t1" });
  await items.next();
  // By then everything that is slow or idle has been cut.
  const slow = await open(port);
  slow.write("GET /tasks/t1 HTTP/1.1\r\n");
  const idle = await openHttp2(port);
  await Promise.all([untilGone(slow), untilGone(idle.resume())]);
  for (let round = 0; round < 3; round++) {
    const next = await open(port);
    next.write("GET /tasks/t1 HTTP/1.1\r\n");
    await untilGone(next);
  }
  for (const resolve of end) resolve();
  end = [];
  assert.match((await sse.setEncoding("utf8").toArray()).join(""), /statusUpdate/);
  assert.ok("statusUpdate" in ((await items.next()).value?.response ?? {}));
  grpc.close();
});

describe("a flood over HTTP/2", () => {
  test("of streams that are reset at once ends the connection, not the service", async () => {
    let calls = 0;
    const getTask = async (): Promise<typeof TASK> => {
      calls++;
      return TASK;
    };
    const port = await start({ controlFrames: 200 }, { getTask });
    const socket = await openHttp2(port);
    const make = (index: number): Buffer =>
      Buffer.concat([callHead(2 * index + 1, GET_TASK), reset(2 * index + 1)]);
    assert.ok(await flood(socket, 100_000, make));
    assert.equal(calls, 0);
    assert.ok(await isServed(port));
  });

  for (const [name, bytes] of [
    ["PING", PING],
    ["SETTINGS", SETTINGS],
  ] as const)
    test(`of ${name} frames ends the connection`, async () => {
      const port = await start({ controlFrames: 200 });
      assert.ok(await flood(await openHttp2(port), 100_000, () => bytes));
      assert.ok(await isServed(port));
    });

  test("of calls that never end is refused past the limit of streams, and ends the connection", async () => {
    const port = await start({ streams: 10 });
    const make = (index: number): Buffer => callHead(2 * index + 1, GET_TASK);
    assert.ok(await flood(await openHttp2(port), 100_000, make));
    assert.ok(await isServed(port));
  });
});
