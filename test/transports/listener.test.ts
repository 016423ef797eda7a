import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { sendHttp } from "../support/http-client.ts";
import { scriptedService } from "../support/scripted-service.ts";
import { grpcClient, jsonrpcClient } from "../support/transport-clients.ts";
import { startTransports, type TransportSettings, type Transports } from "../support/transports.ts";
import type { A2AService } from "../../src/protocol/service.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_COMPLETED" } } as const;

/** What Node tells of a connection that a server accepts. */
interface Accepted {
  readonly socket: Socket;
}

describe("the listener", () => {
  let transports: Transports;
  afterEach(() => transports.stop());

  const start = async (
    script: Partial<A2AService> = { getTask: async () => TASK },
    limits: NonNullable<TransportSettings["limits"]> = {},
  ): Promise<number> => {
    transports = await startTransports(scriptedService(script), { limits });
    return transports.port;
  };
  const open = (port: number): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(socket));
      socket.setNoDelay(true).setEncoding("latin1");
    });
  const until = async (socket: Socket, pattern: RegExp): Promise<string> => {
    let text = "";
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += chunk as string;
      if (pattern.test(text)) break;
    }
    return text;
  };
  const accepted: Socket[] = [];
  const accept = (message: unknown): void => void accepted.push((message as Accepted).socket);
  before(() => subscribe("net.server.socket", accept));
  after(() => unsubscribe("net.server.socket", accept));
  /** Writes, and resolves once the listener has read all that was written so far. */
  const send = async (socket: Socket, piece: string): Promise<void> => {
    socket.write(piece, "latin1");
    const isRead = (): boolean =>
      accepted.some(
        ({ remotePort, bytesRead }) =>
          remotePort === socket.localPort && bytesRead === socket.bytesWritten,
      );
    do await new Promise(setImmediate);
    while (!isRead());
  };

  test("takes all bindings on one port", async () => {
    const port = await start();
    for (const client of [jsonrpcClient(port), grpcClient(port)]) {
      assert.equal((await client.call("getTask", { id: "t1" }))["id"], "t1");
      client.close();
    }
    assert.equal((await sendHttp(port, { path: "/tasks/t1" })).status, 200);
  });

  test("knows the HTTP/2 preface however it is cut", async () => {
    const dripping = await open(await start());
    for (const byte of "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") {
      await send(dripping, byte);
    }
    dripping.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    // A SETTINGS frame is what a server sends first.
    assert.equal((await until(dripping, /./s)).charCodeAt(3), 4);
    dripping.destroy();
  });

  test("knows an HTTP/1.1 request that starts like the preface", async () => {
    const socket = await open(await start());
    await send(socket, "PR");
    socket.write("OPFIND /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(await until(socket, /\}\}|\]\}\}/), /^HTTP\/1\.1 404 /);
    socket.destroy();
  });

  test("takes a request in pieces and several on one connection", async () => {
    const socket = await open(await start());
    for (const piece of ["G", "ET /tasks/t1 HT", "TP/1.1\r\nHost: x\r\n\r", "\n"]) {
      await send(socket, piece);
    }
    assert.match(await until(socket, /"t1"/), /^HTTP\/1\.1 200 /);
    socket.write(
      "GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\nGET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    assert.equal((await until(socket, /"t1".*"t1"/s)).match(/HTTP\/1\.1 200/g)?.length, 2);
    socket.destroy();
  });

  test("drops a connection that says nothing", async () => {
    const socket = await open(await start(undefined, { headTimeout: 50 }));
    assert.equal(await until(socket, /never/), "");
  });

  test("drops a connection that stops inside the preface", async () => {
    const socket = await open(await start(undefined, { headTimeout: 50 }));
    socket.write("PRI * HT");
    assert.equal(await until(socket, /never/), "");
  });

  test("survives connections that end or break before they say anything", async () => {
    const port = await start();
    (await open(port)).end();
    (await open(port)).resetAndDestroy();
    assert.equal((await sendHttp(port, { path: "/tasks/t1" })).status, 200);
  });

  for (const [name, bytes, status] of [
    ["what is not HTTP", "hello\r\n\r\n", 400],
    ["a bad header", "GET / HTTP/1.1\r\nbad header\r\n\r\n", 400],
    ["two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400],
    ["headers that are too large", `GET / HTTP/1.1\r\nx: ${"y".repeat(70_000)}\r\n\r\n`, 431],
  ] as const)
    test(`answers ${status} in JSON to ${name}`, async () => {
      const port = await start();
      const socket = await open(port);
      socket.write(bytes);
      const text = await until(socket, /\}\}/);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(text, /Content-Type: application\/json/);
      assert.equal(JSON.parse(text.slice(text.indexOf("{"))).error.code, status);
      assert.equal((await sendHttp(port, { path: "/tasks/t1" })).status, 200);
    });

  test("ends a connection that asks for more than it has been answered", async () => {
    let asked = 0;
    const getTask = (): Promise<never> => {
      asked++;
      return new Promise(() => undefined);
    };
    const port = await start({ getTask }, { streams: 3 });
    const socket = await open(port);
    const ended = new Promise((resolve) =>
      socket.on("close", resolve).on("error", () => undefined),
    );
    socket.write("GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10));
    await ended;
    assert.equal(asked, 3);
  });

  test("answers requests that come before the answers to those before them, however many", async () => {
    const port = await start(undefined, { streams: 3 });
    const socket = await open(port);
    for (let round = 0; round < 3; round++) {
      socket.write("GET /tasks/t1 HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
      await until(socket, /(?:200 OK[^]*){3}/);
    }
    socket.destroy();
  });

  test("lets calls under way end when it stops, and takes no new ones", async () => {
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      const getTask = (): Promise<typeof TASK> => {
        resolve();
        return new Promise((done) => {
          answer = () => done(TASK);
        });
      };
      void start({ getTask }).then((port) => {
        answers.push(jsonrpcClient(port).call("getTask", { id: "t1" }));
      });
    });
    const answers: Promise<unknown>[] = [];
    await asked;
    const idle = await open(transports.port);
    const stopped = transports.stop(10_000);
    await assert.rejects(sendHttp(transports.port, {}), { code: "ECONNREFUSED" });
    idle.destroy();
    answer?.();
    await answers[0];
    await stopped;
  });

  test("cuts what is still open when the time to stop has passed", async () => {
    let arrived = 0;
    let both: () => void;
    const arrival = new Promise<void>((resolve) => (both = resolve));
    const getTask = (): Promise<never> => {
      if (++arrived === 2) both();
      return new Promise(() => undefined);
    };
    const port = await start({ getTask });
    const clients = [jsonrpcClient(port), grpcClient(port)];
    const calls = clients.map((client) => client.call("getTask", { id: "t1" }));
    const cut = Promise.all(calls.map((call) => assert.rejects(call)));
    await arrival;
    await transports.stop(50);
    await cut;
    for (const client of clients) client.close();
  });
});
