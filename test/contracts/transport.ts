/** What every binding must do, whatever it looks like on the wire. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { A2AError, ERRORS, type ErrorReason } from "../../src/protocol/errors.ts";
import { OPERATIONS, type A2AService, type OperationName } from "../../src/protocol/service.ts";
import type { Task } from "../../src/protocol/model.ts";
import {
  scriptedService,
  ScriptedStream,
  statusItem,
  type ScriptedService,
} from "../support/scripted-service.ts";
import { AnsweredError, type Fields, type TransportClient } from "../support/transport-clients.ts";
import { startTransports, type Transports } from "../support/transports.ts";

const TASK: Task = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_COMPLETED" } };
const MESSAGE = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] } as const;
const CONFIG = { taskId: "t1", id: "p1", url: "https://hook.example/x" } as const;

/** For each operation a request, what the service answers and what the caller must see of it. */
const CASES: Readonly<Record<OperationName, { request: Fields; output: unknown; seen: Fields }>> = {
  sendMessage: { request: { message: MESSAGE }, output: { task: TASK }, seen: { task: TASK } },
  sendStreamingMessage: { request: { message: MESSAGE }, output: { task: TASK }, seen: {} },
  getTask: { request: { id: "t1" }, output: TASK, seen: { ...TASK } },
  listTasks: {
    request: {},
    output: { tasks: [TASK], nextPageToken: "n", pageSize: 50, totalSize: 1 },
    seen: { tasks: [TASK], nextPageToken: "n", pageSize: 50, totalSize: 1 },
  },
  cancelTask: { request: { id: "t1" }, output: TASK, seen: { ...TASK } },
  subscribeToTask: { request: { id: "t1" }, output: { task: TASK }, seen: {} },
  createTaskPushNotificationConfig: { request: CONFIG, output: CONFIG, seen: CONFIG },
  getTaskPushNotificationConfig: {
    request: { taskId: "t1", id: "p1" },
    output: CONFIG,
    seen: CONFIG,
  },
  listTaskPushNotificationConfigs: {
    request: { taskId: "t1" },
    output: { configs: [CONFIG] },
    seen: { configs: [CONFIG] },
  },
  deleteTaskPushNotificationConfig: {
    request: { taskId: "t1", id: "p1" },
    output: {},
    seen: {},
  },
  getExtendedAgentCard: {
    request: {},
    output: {
      name: "agent",
      description: "d",
      version: "1",
      supportedInterfaces: [],
      capabilities: {},
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
    },
    seen: { name: "agent" },
  },
};

const BINDINGS = { jsonrpc: "JSONRPC", http: "HTTP+JSON", grpc: "GRPC" } as const;

export function transportContract(name: string, open: (port: number) => TransportClient): void {
  describe(name, () => {
    let script: Partial<A2AService> = {};
    let service: ScriptedService;
    let transports: Transports;
    let client: TransportClient;

    before(async () => {
      service = scriptedService(delegating(() => script));
      transports = await startTransports(service, { maxBytes: 64 * 1024 });
      client = open(transports.port);
    });
    after(async () => {
      client.close();
      await transports.stop();
    });

    const lastCall = () => {
      const last = service.received.at(-1);
      assert(last);
      return last.call;
    };
    const stream = (): ScriptedStream => {
      const made = new ScriptedStream();
      script = { subscribeToTask: () => made, sendStreamingMessage: () => made };
      return made;
    };

    for (const [operation, kind] of Object.entries(OPERATIONS) as [OperationName, string][]) {
      const { request, output, seen } = CASES[operation];
      if (kind === "stream") continue;
      test(`carries ${operation}`, async () => {
        script = { [operation]: async () => output };
        assertContains(await client.call(operation, request), seen);
        assertContains(service.received.at(-1)?.request, request);
      });
    }

    for (const operation of ["sendStreamingMessage", "subscribeToTask"] as const)
      test(`carries ${operation} in order and ends with it`, async () => {
        stream()
          .push({ generation: 1, response: { task: TASK } }, statusItem(2), statusItem(3))
          .end();
        const events = await collect(client.open(operation, CASES[operation].request));
        assert.deepEqual(
          events.map(({ response }) => Object.keys(response)[0]),
          ["task", "statusUpdate", "statusUpdate"],
        );
        if (client.binding !== "grpc")
          assert.deepEqual(
            events.map(({ id }) => id),
            ["1", "2", "3"],
          );
      });

    test("gives no id to an event without a generation", async () => {
      stream()
        .push({ response: { message: MESSAGE } })
        .end();
      const [event] = await collect(client.open("subscribeToTask", { id: "t1" }));
      assert.equal(event?.id, undefined);
      assert(event && "message" in event.response);
    });

    for (const reason of Object.keys(ERRORS) as ErrorReason[]) {
      test(`answers ${reason} with its code`, async () => {
        script = { getTask: () => Promise.reject(new A2AError(reason, "naïve 100% «x»\nline")) };
        const error = await errorOf(client.call("getTask", { id: "t1" }));
        assert.equal(error.code, ERRORS[reason][client.binding]);
        assert.equal(error.message, "naïve 100% «x»\nline");
        if (reason === "TASK_NOT_FOUND") {
          assert.match(error.details, /type\.googleapis\.com\/google\.rpc\.ErrorInfo/);
          assert.match(error.details, /TASK_NOT_FOUND/);
          assert.match(error.details, /a2a-protocol\.org/);
        }
      });

      test(`answers ${reason} before the first event as a plain error`, async () => {
        stream().end({ error: new A2AError(reason, "no") });
        const error = await errorOf(collect(client.open("subscribeToTask", { id: "t1" })));
        assert.equal(error.code, ERRORS[reason][client.binding]);
      });
    }

    test("ends a stream that fails after its first event with the error", async () => {
      stream()
        .push(statusItem(1))
        .end({ error: new A2AError("UNAVAILABLE", "going away") });
      const events = client.open("subscribeToTask", { id: "t1" });
      assert("statusUpdate" in ((await events.next()).value?.response ?? {}));
      const error = await errorOf(events.next());
      assert.equal(error.code, ERRORS.UNAVAILABLE[client.binding]);
      assert.equal(error.message, "going away");
    });

    test("hides what went wrong inside, and logs it once", async () => {
      const logged = transports.logged.length;
      script = { getTask: () => Promise.reject(new Error("SELECT * FROM /srv/secret")) };
      const error = await errorOf(client.call("getTask", { id: "t1" }));
      assert.equal(error.code, ERRORS.INTERNAL_ERROR[client.binding]);
      assert.doesNotMatch(error.message + error.details, /secret|SELECT/);
      assert.equal(transports.logged.length, logged + 1);
      assert.match(String(transports.logged.at(-1)?.["err"]), /secret/);
    });

    test("does not log a failure again that has been reported", async () => {
      const logged = transports.logged.length;
      const reported = new A2AError("INTERNAL_ERROR", "internal error", { reported: true });
      script = { getTask: () => Promise.reject(reported) };
      await errorOf(client.call("getTask", { id: "t1" }));
      stream().push(statusItem(1)).end({ error: reported });
      await errorOf(collect(client.open("subscribeToTask", { id: "t1" })));
      assert.equal(transports.logged.length, logged);
    });

    test("logs a stream that breaks by its request id and its cause, and nothing else", async () => {
      stream()
        .push(statusItem(1))
        .end({ error: new Error("secret") });
      const events = client.open(
        "subscribeToTask",
        { id: "t1" },
        { headers: { "x-request-id": "r9" } },
      );
      const error = await errorOf(collect(events));
      assert.equal(error.code, ERRORS.INTERNAL_ERROR[client.binding]);
      assert.doesNotMatch(error.message + error.details, /secret/);
      const { requestId, err, ...more } = transports.logged.at(-1) ?? {};
      assert.deepEqual([requestId, String(err), more], ["r9", "Error: secret", {}]);
    });

    test("refuses a request with missing fields before the service sees it", async () => {
      const before = service.received.length;
      const error = await errorOf(client.call("sendMessage", {}));
      assert.equal(error.code, ERRORS.INVALID_PARAMS[client.binding]);
      const early = await errorOf(collect(client.open("sendStreamingMessage", {})));
      assert.equal(early.code, ERRORS.INVALID_PARAMS[client.binding]);
      assert.equal(service.received.length, before);
    });

    for (const version of ["1.0", "1.0.9", " 1.0 ", ""])
      test(`accepts version ${JSON.stringify(version)}`, async () => {
        script = { getTask: async () => TASK };
        await client.call("getTask", { id: "t1" }, { headers: { "a2a-version": version } });
        assert.equal(lastCall().version, "1.0");
      });

    for (const version of ["99.0", "0.3", "1", "x"])
      test(`refuses version ${version} for unary calls and streams`, async () => {
        const options = { headers: { "a2a-version": version } };
        const error = await errorOf(client.call("getTask", { id: "t1" }, options));
        assert.equal(error.code, ERRORS.VERSION_NOT_SUPPORTED[client.binding]);
        assert.match(error.details, /1\.0/);
        const early = await errorOf(collect(client.open("subscribeToTask", { id: "t" }, options)));
        assert.equal(early.code, ERRORS.VERSION_NOT_SUPPORTED[client.binding]);
      });

    test("passes extensions, request id and headers to the service", async () => {
      script = { getTask: async () => TASK };
      await client.call(
        "getTask",
        { id: "t1" },
        {
          headers: {
            "a2a-extensions": "https://e/x ,https://e/y,, https://e/x",
            "x-request-id": "r-1",
            "x-custom": "v",
          },
        },
      );
      const { extensions, requestId, headers } = lastCall();
      assert.deepEqual(extensions, ["https://e/x", "https://e/y"]);
      assert.equal(requestId, "r-1");
      assert.equal(headers["x-custom"], "v");
    });

    test("names its binding in the call", async () => {
      script = { getTask: async () => TASK };
      await client.call("getTask", { id: "t1" });
      assert.equal(lastCall().binding, BINDINGS[client.binding]);
    });

    test("passes the resume cursor and ignores one that is no number", async () => {
      for (const [cursor, expected] of [
        ["5", 5],
        ["0", 0],
        ["x5", undefined],
        ["-1", undefined],
      ] as const) {
        stream().end();
        const options = { headers: { "last-event-id": cursor } };
        await collect(client.open("subscribeToTask", { id: "t1" }, options));
        assert.equal(lastCall().resumeAfter, expected);
      }
    });

    test("tells the iterator to return when the client leaves a stream", async () => {
      const made = stream().push(statusItem(1));
      const events = client.open("subscribeToTask", { id: "t1" });
      await events.next();
      assert.equal(lastCall().signal.aborted, false);
      await events.return(undefined);
      await made.returned;
      assert.equal(lastCall().signal.aborted, true);
    });

    test("aborts the signal of a unary call when the client leaves", async () => {
      const leaving = new AbortController();
      const aborted = new Promise<void>((resolve) => {
        script = {
          getTask: (_, { signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener("abort", () => {
                reject(signal.reason);
                resolve();
              });
              leaving.abort();
            }),
        };
      });
      await assert.rejects(client.call("getTask", { id: "t1" }, { signal: leaving.signal }));
      await aborted;
    });

    test("does not abort the signal of a call that was answered", async () => {
      script = { getTask: async (_, { signal }) => (assert(!signal.aborted), TASK) };
      await client.call("getTask", { id: "t1" });
      const { signal } = lastCall();
      await client.call("getTask", { id: "t1" });
      assert.equal(signal.aborted, false);
    });

    test("does not abort the signal of a call that was refused", async () => {
      const refusal = new A2AError("TASK_NOT_FOUND", "no");
      const signals: AbortSignal[] = [];
      script = {
        getTask: ({ id }, { signal }) => {
          signals.push(signal);
          return id === "t1" ? Promise.reject(refusal) : Promise.resolve(TASK);
        },
        subscribeToTask: (_, { signal }) => {
          signals.push(signal);
          return new ScriptedStream().end({ error: refusal });
        },
      };
      await errorOf(client.call("getTask", { id: "t1" }));
      await errorOf(collect(client.open("subscribeToTask", { id: "t1" })));
      await client.call("getTask", { id: "t2" });
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [false, false, false],
      );
    });

    test("tells the iterator to return when an event cannot be encoded", async () => {
      const made = stream().push(statusItem(1), { response: undefined as never });
      const error = await errorOf(collect(client.open("subscribeToTask", { id: "t1" })));
      assert.equal(error.code, ERRORS.INTERNAL_ERROR[client.binding]);
      await made.returned;
    });

    test("survives an error that cannot be written down, and logs it", async () => {
      const error = new A2AError("TASK_NOT_FOUND", "no", { metadata: { n: 1n as never } });
      script = { getTask: () => Promise.reject(error) };
      for (const ask of [
        () => client.call("getTask", { id: "t1" }),
        () => collect(client.open("subscribeToTask", { id: "t1" })),
      ]) {
        const logged = transports.logged.length;
        stream().end({ error });
        script = { ...script, getTask: () => Promise.reject(error) };
        await assert.rejects(ask());
        assert.equal(transports.logged.length, logged + 1);
      }
      script = { getTask: async () => TASK };
      assertContains(await client.call("getTask", { id: "t1" }), { id: "t1" });
    });

    test("returns every iterator of 500 streams whose client vanishes", async () => {
      const made: ScriptedStream[] = [];
      script = {
        subscribeToTask: () => {
          const one = new ScriptedStream().push(statusItem(1));
          made.push(one);
          return one;
        },
      };
      const opened = Array.from({ length: 500 }, () => client.open("subscribeToTask", { id: "t" }));
      await Promise.all(opened.map((events) => events.next()));
      await Promise.all(opened.map((events) => events.return(undefined)));
      await Promise.all(made.map(({ returned }) => returned));
      assert.equal(made.length, 500);
    });

    test("stops pulling while a reader is slow, and delivers everything once it reads on", async () => {
      const made = stream();
      const text = "x".repeat(16 * 1024);
      for (let generation = 1; generation <= 2000; generation++)
        made.push(statusItem(generation, text));
      made.end();
      const events = client.open("subscribeToTask", { id: "t1" });
      await events.next();
      script = { getTask: async () => TASK };
      for (let others = 0; others < 50; others++) await client.call("getTask", { id: "t1" });
      assert(made.pulls < 2000, `${made.pulls} of 2000 events were taken from the service`);
      assert.equal((await collect(events)).length, 1999);
    });

    test("refuses a request over the size limit and goes on serving", async () => {
      const parts = [{ text: "x".repeat(200 * 1024) }];
      const big = client.call("sendMessage", { message: { ...MESSAGE, parts } });
      assert.equal((await errorOf(big)).code, ERRORS.TOO_LARGE[client.binding]);
      script = { getTask: async () => TASK };
      assertContains(await client.call("getTask", { id: "t1" }), { id: "t1" });
    });

    test("delivers answers of any size", async () => {
      const text = "ä".repeat(6 * 1024 * 1024);
      script = {
        getTask: async () => ({ ...TASK, artifacts: [{ artifactId: "a", parts: [{ text }] }] }),
      };
      // A gRPC client has a limit of its own, 4 MiB, and says so with this code.
      const answer = client.call("getTask", { id: "t1" });
      if (client.binding === "grpc") assert.equal((await errorOf(answer)).code, 8);
      else assert(JSON.stringify(await answer).includes(text));
    });

    test("ends open streams with what the service says when the gateway stops", async () => {
      const other = await startTransports(service);
      const leaving = open(other.port);
      const made = stream().push(statusItem(1));
      const events = leaving.open("subscribeToTask", { id: "t1" });
      await events.next();
      const stopped = other.stop(10_000);
      made.end({ error: new A2AError("UNAVAILABLE", "the gateway stops") });
      assert.equal((await errorOf(events.next())).code, ERRORS.UNAVAILABLE[client.binding]);
      leaving.close();
      await stopped;
    });
  });
}

/** Every operation asks for the script of the moment. */
function delegating(script: () => Partial<A2AService>): Partial<A2AService> {
  const delegates: Record<string, unknown> = {};
  for (const operation of Object.keys(OPERATIONS) as OperationName[])
    delegates[operation] = (request: never, call: never) => {
      const scripted = script()[operation];
      if (scripted === undefined) throw new A2AError("UNSUPPORTED_OPERATION", operation);
      return scripted(request, call);
    };
  return delegates as Partial<A2AService>;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function errorOf(answer: Promise<unknown>): Promise<AnsweredError> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert(error instanceof AnsweredError, `not an error answer: ${String(error)}`);
  return error;
}

/** Whether `actual` says what `expected` says; it may say more. */
function assertContains(actual: unknown, expected: unknown): void {
  if (typeof expected !== "object" || expected === null) assert.equal(actual, expected);
  else
    for (const [key, value] of Object.entries(expected))
      assertContains((actual as Fields | undefined)?.[key], value);
}
