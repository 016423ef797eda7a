import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, constants } from "node:http2";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { Client, credentials, loadPackageDefinition, type ServiceError } from "@grpc/grpc-js";
import { A2AError } from "../../../src/protocol/errors.ts";
import { UNASKED } from "../../../src/protocol/principal.ts";
import type { GetTaskRequest } from "../../../src/protocol/model.ts";
import { scriptedService, ScriptedStream } from "../../support/scripted-service.ts";
import {
  AnsweredError,
  grpcClient,
  type TransportClient,
} from "../../support/transport-clients.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const TASK = { id: "t1", status: { state: "TASK_STATE_COMPLETED" } } as const;
const never = new Promise<never>(() => undefined);

describe("the gRPC server", () => {
  let transports: Transports;
  let client: TransportClient;
  let failure: A2AError | undefined;
  let signal: AbortSignal | undefined;

  before(async () => {
    const service = scriptedService({
      getTask: async ({ id }: GetTaskRequest, call) => {
        ({ signal } = call);
        if (id === "slow") return never;
        if (failure !== undefined) throw failure;
        return { ...TASK, id };
      },
      subscribeToTask: () => new ScriptedStream().end({ error: failure }),
    });
    transports = await startTransports(service, { maxBytes: 100_000 });
    client = grpcClient(transports.port);
  });
  after(async () => {
    client.close();
    await transports.stop();
  });

  const errorOf = async (answer: Promise<unknown>): Promise<AnsweredError> => {
    const error = await answer.then(String, (thrown: unknown) => thrown);
    assert(error instanceof AnsweredError, String(error));
    return error;
  };

  for (const path of [
    "/grpc.health.v1.Health/Check",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  ])
    test(`takes no large message of whoever it may be, at ${path}`, async () => {
      const session = connect(transports.url);
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
      });
      const closed = new Promise((resolve) => stream.on("close", resolve));
      stream.on("error", () => undefined);
      const length = Buffer.from([0, 0, 1, 0x40, 0]);
      stream.write(Buffer.concat([length, Buffer.alloc(70_000)]));
      await closed;
      assert.equal(stream.rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM);
      session.destroy();
    });

  test("writes no metadata of callers to stderr, however wrong it is", async (context) => {
    const written = context.mock.method(console, "error", () => undefined);
    const session = connect(`http://127.0.0.1:${transports.port}`);
    context.after(() => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": "/lf.a2a.v1.A2AService/GetTask",
      "content-type": "application/grpc",
      "x-api-key": "s3cret\xff",
    });
    stream.on("error", () => undefined).end();
    await once(stream.resume(), "close");
    assert.equal(written.mock.callCount(), 0);
  });

  const messages: readonly [name: string, message: string, seen: RegExp][] = [
    ["line breaks and percent signs", "a\r\nb 100% %41", /^a\r\nb 100% %41$/],
    ["half a character", "x\ud800y", /^x\ufffdy$/],
    ["20,000 characters", "é".repeat(20_000), /^é{100,}(\.\.\.|…)$/],
  ];
  for (const [name, message, seen] of messages)
    test(`delivers a message with ${name} on unary calls and streams`, async () => {
      failure = new A2AError("TASK_NOT_FOUND", message);
      const unary = await errorOf(client.call("getTask", { id: "t1" }));
      const stream = await errorOf(client.open("subscribeToTask", { id: "t1" }).next());
      failure = undefined;
      for (const error of [unary, stream]) {
        assert.equal(error.code, 5);
        assert.match(error.message, seen);
        assert.match(error.details, /TASK_NOT_FOUND/);
      }
    });

  test("keeps the trailers small however many fields are wrong", async () => {
    const violations = Array.from({ length: 10_000 }, (_, index) => ({
      field: `message.parts[${index}]`,
      description: "is wrong",
    }));
    failure = new A2AError("INVALID_PARAMS", "wrong", { violations });
    const error = await errorOf(client.call("getTask", { id: "t1" }));
    failure = undefined;
    assert.equal(error.code, 3);
    assert.match(error.details, /message\.parts\[0\]/);
    assert(error.details.length < 4096);
  });

  test("answers bytes that are no message with INVALID_ARGUMENT", async () => {
    const raw = new Client(`127.0.0.1:${transports.port}`, credentials.createInsecure());
    const error = await new Promise<ServiceError | null>((resolve) => {
      const untouched = (bytes: Buffer): Buffer => bytes;
      const path = "/lf.a2a.v1.A2AService/GetTask";
      raw.makeUnaryRequest(path, untouched, untouched, Buffer.alloc(9, 0xff), resolve);
    });
    raw.close();
    assert.equal(error?.code, 3);
  });

  test("answers UNIMPLEMENTED to a method that nobody knows", async () => {
    const raw = new Client(`127.0.0.1:${transports.port}`, credentials.createInsecure());
    const error = await new Promise<ServiceError | null>((resolve) => {
      const untouched = (bytes: Buffer): Buffer => bytes;
      raw.makeUnaryRequest("/x.Y/Z", untouched, untouched, Buffer.alloc(0), resolve);
    });
    raw.close();
    assert.equal(error?.code, 12);
  });

  test("aborts the signal at the deadline", async () => {
    const error = await errorOf(client.call("getTask", { id: "slow" }, { deadlineMs: 50 }));
    assert.equal(error.code, 4);
    if (signal?.aborted === false)
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    assert.equal(signal?.aborted, true);
  });

  const statusOfRaw = (body: Buffer, headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const session = connect(transports.url);
      const stream = session.request({
        ":method": "POST",
        ":path": "/lf.a2a.v1.A2AService/GetTask",
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      const found = (fields: Record<string, unknown>): void => {
        const status = fields["grpc-status"];
        if (typeof status === "string") resolve(status);
      };
      stream.on("response", found).on("trailers", found).on("error", reject);
      stream.on("close", () => session.close()).resume();
      stream.end(body);
    });
  const framed = (message: Buffer, isCompressed: boolean): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(isCompressed ? 1 : 0, 0);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  };
  /** Field 2, `id`, of that length. */
  const getTask = (length: number): Buffer =>
    Buffer.concat([
      Buffer.from([0x12, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]),
      Buffer.alloc(length, "a"),
    ]);

  test("takes compressed requests, but none that is too large once unpacked", async () => {
    const headers = { "grpc-encoding": "gzip" };
    assert.equal(await statusOfRaw(framed(gzipSync(getTask(10)), true), headers), "0");
    assert.equal(await statusOfRaw(framed(gzipSync(getTask(200_000)), true), headers), "8");
  });

  test("serves reflection in both of its versions", async () => {
    for (const version of ["v1", "v1alpha"]) {
      const untouched = (bytes: Buffer): Buffer => bytes;
      const raw = new Client(`127.0.0.1:${transports.port}`, credentials.createInsecure());
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const call = raw.makeBidiStreamRequest(path, untouched, untouched);
      // ServerReflectionRequest { list_services: "*" }
      call.write(Buffer.from([0x3a, 0x01, 0x2a]));
      call.end();
      const answers = (await call.toArray()) as Buffer[];
      raw.close();
      assert.match(Buffer.concat(answers).toString("latin1"), /lf\.a2a\.v1\.A2AService/);
    }
  });

  test("reports its health: serving, and not serving while it drains", async () => {
    const { HealthImplementation: _, service } = await import("grpc-health-check");
    const definition = loadPackageDefinition({ Health: service });
    const Health = definition["Health"] as unknown as new (
      address: string,
      credentials: unknown,
    ) => Client & {
      check(request: object, done: (error: unknown, answer: { status: string }) => void): unknown;
    };
    const health = new Health(`127.0.0.1:${transports.port}`, credentials.createInsecure());
    const check = (name: string): Promise<string> =>
      new Promise((resolve, reject) => {
        health.check({ service: name }, (error, answer) =>
          error ? reject(error) : resolve(answer.status),
        );
      });
    for (const name of ["", "lf.a2a.v1.A2AService"]) assert.equal(await check(name), "SERVING");
    transports.grpc.drain();
    for (const name of ["", "lf.a2a.v1.A2AService"]) assert.equal(await check(name), "NOT_SERVING");
    health.close();
  });
});

test("a trusted proxy's client is who calls, and on other connections nobody else", async () => {
  const seen: string[] = [];
  for (const trustedProxies of [["127.0.0.1"], []]) {
    const transports = await startTransports(scriptedService({ getTask: async () => TASK }), {
      trustedProxies,
      authenticate: async ({ address }) => {
        seen.push(address);
        return UNASKED;
      },
    });
    const client = grpcClient(transports.port);
    const headers = { "x-forwarded-for": "203.0.113.5, 198.51.100.1" };
    await client.call("getTask", { id: "t1" }, { headers });
    client.close();
    await transports.stop();
  }
  assert.deepEqual(seen, ["198.51.100.1", "127.0.0.1"]);
});
