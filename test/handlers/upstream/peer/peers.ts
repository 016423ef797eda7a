/** Peers of a plain dialect: JSON is the model, and so are the bytes of gRPC. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { openPeer } from "../../../../src/handlers/upstream/peer/open-peer.ts";
import type { PeerLimits } from "../../../../src/handlers/upstream/peer/limits.ts";
import { PeerFailure } from "../../../../src/handlers/upstream/peer/peer-failure.ts";
import type { Peer, PeerCall, PeerTls } from "../../../../src/handlers/upstream/peer/peer.ts";
import type { ProtocolBinding } from "../../../../src/protocol/agent-card.ts";
import { A2AError } from "../../../../src/protocol/errors.ts";
import type { SendMessageRequest, Task } from "../../../../src/protocol/model.ts";
import type {
  ClientDialect,
  ClientEvent,
  ClientOperation,
  ClientOperations,
} from "../../../../src/wire/client.ts";

export const LIMITS: PeerLimits = {
  connectTimeout: 10_000,
  headTimeout: 10_000,
  idleTimeout: 10_000,
  callTimeout: 10_000,
  maxAnswer: 100_000,
  maxEvent: 50_000,
  connections: 8,
};

export const SEND: SendMessageRequest = {
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
};
const GET = { id: "t" } as const;

/** The peer ends with the test. */
export function peerTo(
  context: TestContext,
  url: string,
  binding: ProtocolBinding = "JSONRPC",
  limits: Partial<PeerLimits> = {},
  tls?: PeerTls,
): Peer {
  const peer = openPeer({ url, binding, dialect: PLAIN, limits: { ...LIMITS, ...limits }, tls });
  context.after(() => peer.close());
  return peer;
}

export function callOf(call: Partial<PeerCall> = {}): PeerCall {
  return { headers: {}, extensions: [], signal: new AbortController().signal, ...call };
}

export function getTask(peer: Peer, call?: Partial<PeerCall>): Promise<Task> {
  return peer.call("getTask", GET, callOf(call));
}

export function streamOf(peer: Peer, call?: Partial<PeerCall>): AsyncIterableIterator<ClientEvent> {
  return oneByOne(peer.stream("sendStreamingMessage", SEND, callOf(call)));
}

/** The events of a stream, however many come together. To return reaches the stream also while it is waited for. */
export function oneByOne(
  stream: AsyncIterable<readonly ClientEvent[]>,
): AsyncIterableIterator<ClientEvent> {
  const batches = stream[Symbol.asyncIterator]();
  let left: readonly ClientEvent[] = [];
  return {
    async next() {
      while (left.length === 0) {
        const step = await batches.next();
        if (step.done === true) return { done: true, value: undefined };
        left = step.value;
      }
      const [value, ...rest] = left;
      assert.ok(value);
      left = rest;
      return { done: false, value };
    },
    async return() {
      await batches.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The texts of the status messages of a stream, to its end. */
export async function textsOf(peer: Peer, call?: Partial<PeerCall>): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of streamOf(peer, call)) texts.push(textIn(event));
  return texts;
}

export function textIn({ response }: ClientEvent): string {
  return "message" in response ? (response.message?.parts[0]?.text ?? "") : "";
}

/** What the agent sends for an event of that text. */
export function event(text: string, final?: true): object {
  const message = { messageId: text, role: "ROLE_AGENT", parts: [{ text }] };
  return { message, ...(final && { final }) };
}

export function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** What a promise fails with, as one line: reason and message of an A2AError. */
export async function errorIn(promise: Promise<unknown>): Promise<string> {
  const thrown: unknown = await promise.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  assert.ok(A2AError.is(thrown), String(thrown));
  return `${thrown.reason}: ${thrown.message}`;
}

export async function failureIn(promise: Promise<unknown>): Promise<PeerFailure> {
  const thrown: unknown = await promise.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  assert.ok(PeerFailure.is(thrown), String(thrown));
  return thrown;
}

/** Phase, whether it may be sent again, reason and message. */
export function saying({ phase, retryable, reason, message }: PeerFailure): string {
  return `${phase}${retryable ? " (retryable)" : ""} ${reason}: ${message}`;
}

const PLAIN: ClientDialect = {
  version: "1.0",
  extensionHeader: "a2a-extensions",
  jsonrpc: {
    methodOf: (operation) => operation.toUpperCase(),
    encode: (_operation, request) => request,
    decode,
    errorOf: errorOf,
  },
  rest: {
    requestOf: (operation, request) =>
      operation === "getTask"
        ? { method: "GET", path: "/tasks/t?historyLength=1", body: undefined }
        : { method: "POST", path: `/${operation}`, body: JSON.stringify(request) },
    decode,
    errorOf: (status, body) =>
      body === undefined ? new A2AError("TASK_NOT_FOUND", `status ${status}`) : errorOf(body),
    errorIn: (data, name) => (name === "error" ? errorOf(data) : undefined),
  },
  grpc: {
    pathOf: (operation) => `/plain.Service/${operation}`,
    encode: (_operation, request) => Buffer.from(JSON.stringify(request)),
    decode: (operation, message) => decode(operation, JSON.parse(Buffer.from(message).toString())),
    errorOf: (code, message, details) =>
      new A2AError(
        code === 8 ? "RATE_LIMITED" : "TASK_NOT_FOUND",
        `${code} ${message} ${details === undefined ? "-" : Buffer.from(details).toString()}`,
      ),
  },
};

function decode<N extends ClientOperation>(operation: N, result: unknown): ClientOperations[N] {
  if (typeof result !== "object" || result === null)
    throw new A2AError("INVALID_AGENT_RESPONSE", "no object");
  const isStream = operation === "sendStreamingMessage" || operation === "subscribeToTask";
  const answer = isStream ? { response: result, isLast: "final" in result } : result;
  return answer as ClientOperations[N];
}

function errorOf(error: unknown): A2AError {
  return new A2AError("TASK_NOT_FOUND", `the agent says ${JSON.stringify(error)}`);
}
