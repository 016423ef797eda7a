/** Requests that were valid before something happened to them: always an answer of the door's own, and nothing half done. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../../src/protocol/json.ts";
import { ERRORS } from "../../src/protocol/errors.ts";
import { v1 } from "../../src/wire/v1/index.ts";
import { messages } from "../../src/wire/v1/messages.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { damage, damaged, mutate, mutation, withoutTask } from "../support/mutations.ts";
import { completed, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { sendMessageRequest } from "../wire/arbitraries.ts";
import { GrpcConnection } from "./raw-grpc.ts";

const RUNS = 300;

let gateway: RunningGateway;
let grpc: GrpcConnection;

before(async () => {
  const handler = new ScriptedHandler(async function* ({ message }) {
    yield working;
    yield { kind: "artifact", artifact: { parts: message.parts } };
    yield completed;
  });
  gateway = await runGateway({ agents: { agent: { handler } } });
  grpc = new GrpcConnection(gateway.port);
});
after(async () => {
  grpc.close();
  for (const door of gateway.doors)
    for (const status of ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"] as const)
      assert.equal((await door.call("listTasks", { status }))["totalSize"], 0);
  await gateway.stop();
  const [stopping] = gateway.log.lines.filter(({ message }) => message === "stopping");
  assert.deepEqual(stopping?.fields, { tasks: 0, streams: 0 });
  assert.deepEqual(gateway.log.errors, []);
});

const mutated = fc
  .tuple(sendMessageRequest, fc.array(mutation, { maxLength: 4 }))
  .map(([request, mutations]) =>
    mutations.reduce(mutate, withoutTask(request) as unknown as JsonValue),
  );

const CODES: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ jsonrpc }) => jsonrpc));

test("JSON-RPC answers 300 mutated requests in its envelope, and never as a fault", async () => {
  const method = fc.constantFrom(...v1.jsonrpc.methods.keys());
  const envelope = fc
    .tuple(
      mutated,
      fc.oneof(
        { weight: 4, arbitrary: fc.constant("SendMessage") },
        { weight: 1, arbitrary: method },
      ),
      fc.option(mutation),
    )
    .map(([params, name, change]) => {
      const request = { jsonrpc: "2.0", id: 1, method: name, params } as JsonValue;
      return change === null ? request : mutate(request, change);
    });
  await fc.assert(
    fc.asyncProperty(envelope, async (body) => {
      const answer = await post("/", JSON.stringify(body));
      assert(answer.status < 500, answer.text);
      const { jsonrpc, error } = answer.envelope;
      assert.equal(jsonrpc, "2.0");
      if (error === undefined) return;
      assert(CODES.has(error.code) && error.code !== -32603, answer.text);
    }),
    { numRuns: RUNS },
  );
});

test("HTTP+JSON answers 300 mutated requests in JSON, and never as a fault", async () => {
  const segment = fc.oneof(
    fc.constantFrom("tasks", "message:send", "x:cancel", "extendedAgentCard", "..", "%2e"),
    fc.string({ maxLength: 8 }).map(encodeWell),
  );
  const path = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("/message:send", "/message:stream") },
    {
      weight: 1,
      arbitrary: fc.array(segment, { maxLength: 4 }).map((parts) => `/x/${parts.join("/")}`),
    },
  );
  const type = fc.constantFrom(
    "application/json",
    "application/json",
    "application/a2a+json",
    "text/plain",
    "a;b;c",
    ";",
  );
  await fc.assert(
    fc.asyncProperty(path, mutated, type, async (path, body, type) => {
      const answer = await post(path, JSON.stringify(body), type);
      assert(answer.status < 500, answer.text);
      if (answer.status >= 400) assert.equal(answer.envelope.error?.code, answer.status);
    }),
    { numRuns: RUNS },
  );
});

test("HTTP+JSON answers 300 queries in JSON, and never as a fault", async () => {
  const name = fc.constantFrom(
    "pageSize",
    "page_size",
    "status",
    "contextId",
    "pageToken",
    "historyLength",
    "includeArtifacts",
    "statusTimestampAfter",
    "tenant",
    "a2a-version",
    "__proto__",
  );
  const value = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.integer().map(String),
    fc.constantFrom("true", "1-x", "2026-01-01", "TASK_STATE_WORKING", "9".repeat(40)),
  );
  const query = fc.array(fc.tuple(name, value), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const text = pairs.map(([key, one]) => `${key}=${encodeWell(one)}`).join("&");
      const answer = await sendHttp(gateway.port, { path: `/tasks?${text}` });
      assert(answer.status < 500, answer.text);
      assert.equal(answer.headers["content-type"], "application/json");
      JSON.parse(answer.text);
    }),
    { numRuns: RUNS },
  );
});

test("JSON doors answer 300 broken bodies in JSON, and never as a fault", async () => {
  const broken = fc
    .tuple(mutated, fc.nat(), fc.uint8Array({ maxLength: 6 }), fc.constantFrom(0, 1, 5))
    .map(([body, at, bytes, skip]) => {
      const text = Buffer.from(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: body }),
      );
      const place = at % (text.length + 1);
      return Buffer.concat([text.subarray(0, place), bytes, text.subarray(place + skip)]);
    });
  await fc.assert(
    fc.asyncProperty(broken, fc.constantFrom("/", "/message:send"), async (body, path) => {
      const answer = await post(path, body);
      assert(answer.status < 500, answer.text);
    }),
    { numRuns: RUNS },
  );
});

test("gRPC answers 300 damaged messages by a status, and never as a fault", async () => {
  const method = fc.constantFrom(
    "SendMessage",
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
  );
  const damages = fc.array(damage, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sendMessageRequest, damages, method, async (request, damages, name) => {
      const sound = messages.SendMessageRequest.toProto(withoutTask(request));
      const bytes = damaged(sound, damages);
      const { http, status, message } = await grpc.call(name, bytes);
      assert.equal(http, 200);
      assert([0, 3, 5, 9, 12].includes(status), `${status}: ${message}`);
    }),
    { numRuns: RUNS },
  );
});

interface Envelope {
  readonly jsonrpc?: unknown;
  readonly error?: { readonly code: number };
}

async function post(path: string, body: string | Buffer, type = "application/json") {
  const headers = { "content-type": type };
  const {
    status,
    headers: answered,
    text,
  } = await sendHttp(gateway.port, { method: "POST", path, headers, body });
  const isStream = answered["content-type"] === "text/event-stream";
  if (!isStream) assert.equal(answered["content-type"], "application/json");
  const json = isStream ? (/data: ([^\n]*)/.exec(text)?.[1] ?? "") : text;
  return { status, text, envelope: JSON.parse(json) as Envelope };
}

/** As encodeURIComponent, for text that may not be well-formed. */
function encodeWell(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
