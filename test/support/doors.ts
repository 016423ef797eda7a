/** One client per door, all with the same face and the same JSON, so that a case is written once and tried on each. */
import assert from "node:assert/strict";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ERRORS, type ErrorCodes, type ErrorReason } from "../../src/protocol/errors.ts";
import type { OperationName } from "../../src/protocol/service.ts";
import { decodeStatus, type Detail } from "../../src/wire/status.ts";
import { v1 } from "../../src/wire/v1/index.ts";
import { messages } from "../../src/wire/v1/messages.ts";
import { eventsOf, openHttp, sendHttp, type HttpRequest } from "./http-client.ts";

export type Fields = Record<string, unknown>;

export interface CallOptions {
  /** Headers, or metadata. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Event {
  /** The generation of a stored event; gRPC does not tell it. */
  readonly id: number | undefined;
  readonly response: Fields;
}

export interface Door {
  readonly name: "JSON-RPC" | "HTTP+JSON" | "gRPC";
  readonly binding: Exclude<keyof ErrorCodes, "status">;
  /** The answer as ProtoJSON; throws a Refusal. */
  call(operation: OperationName, request: object, options?: CallOptions): Promise<Fields>;
  /** Throws a Refusal, also in the middle; leaves the stream when the generator returns. */
  stream(operation: OperationName, request: object, options?: CallOptions): AsyncGenerator<Event>;
  close(): void;
}

/** An error answer. */
export class Refusal extends Error {
  readonly code: number;
  readonly details: readonly Detail[];

  constructor(code: number, message: string, details: readonly Detail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }

  detail(type: string): Detail | undefined {
    return this.details.find((detail) => detail["@type"] === `type.googleapis.com/${type}`);
  }

  /** The paths of the fields that were wrong. */
  get fields(): readonly string[] {
    const violations = this.detail("google.rpc.BadRequest")?.["fieldViolations"] ?? [];
    return (violations as { readonly field: string }[]).map(({ field }) => field);
  }
}

const PLAIN: ReadonlySet<ErrorReason> = new Set([
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "INVALID_PARAMS",
]);

/** Asserts that the answer is this error, in the door's own codes and with its details. */
export async function refused(
  door: Door,
  answer: Promise<unknown>,
  reason: ErrorReason,
): Promise<Refusal> {
  const refusal = await answer.then(
    (value: unknown) =>
      assert.fail(`no error on ${door.name}: ${JSON.stringify(value).slice(0, 300)}`),
    (thrown: unknown) => thrown,
  );
  if (!(refusal instanceof Refusal)) throw refusal;
  assert.equal(refusal.code, ERRORS[reason][door.binding], `${door.name}: ${refusal.message}`);
  const info = refusal.detail("google.rpc.ErrorInfo");
  if (!PLAIN.has(reason)) assert.equal(info?.["reason"], reason);
  if (info !== undefined) assert.equal(info["domain"], "a2a-protocol.org");
  return refusal;
}

/** As `refused`, for calls that are under way together. */
export async function allRefused(
  door: Door,
  answers: readonly Promise<unknown>[],
  reason: ErrorReason,
): Promise<void> {
  await Promise.all(answers.map((answer) => refused(door, answer, reason)));
}

/** The doors of an agent at a port, the primary agent's without an id. */
export function openDoors(port: number, agent?: string): readonly [Door, Door, Door] {
  return [jsonrpcDoor(port, agent), restDoor(port, agent), grpcDoor(port, agent)];
}

const METHODS = new Map([...v1.jsonrpc.methods].map(([name, operation]) => [operation, name]));

function jsonrpcDoor(port: number, agent: string | undefined): Door {
  const asked = (operation: OperationName, params: object, options: CallOptions): HttpRequest => ({
    method: "POST",
    path: agent === undefined ? "/" : `/a2a/${agent}`,
    ...sent({ jsonrpc: "2.0", id: 7, method: METHODS.get(operation), params }, options),
  });
  return {
    name: "JSON-RPC",
    binding: "jsonrpc",
    async call(operation, request, options = {}) {
      const answer = await sendHttp(port, asked(operation, request, options));
      assert.equal(answer.headers["content-type"], "application/json");
      return resultOf(answer.text);
    },
    async *stream(operation, request, options = {}) {
      const incoming = await openHttp(port, asked(operation, request, options));
      try {
        if (incoming.headers["content-type"] !== "text/event-stream")
          resultOf((await incoming.setEncoding("utf8").toArray()).join(""));
        for await (const { id, data } of eventsOf(incoming))
          yield { id: numberOf(id), response: resultOf(data) };
      } finally {
        incoming.destroy();
      }
    },
    close: () => undefined,
  };
}

interface RpcAnswer {
  readonly id: unknown;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Detail[] };
}

function resultOf(text: string): Fields {
  const { id, result, error } = JSON.parse(text) as RpcAnswer;
  if (error !== undefined) throw new Refusal(error.code, error.message, error.data);
  assert.equal(id, 7);
  assert(result);
  return result;
}

type Line = readonly [method: "GET" | "POST" | "DELETE", path: string];

const at = (id: unknown): string => encodeURIComponent(String(id));
const configs = ({ taskId }: Fields): string => `/tasks/${at(taskId)}/pushNotificationConfigs`;

const LINES: Readonly<Record<OperationName, (request: Fields) => Line>> = {
  sendMessage: () => ["POST", "/message:send"],
  sendStreamingMessage: () => ["POST", "/message:stream"],
  getTask: ({ id }) => ["GET", `/tasks/${at(id)}`],
  listTasks: () => ["GET", "/tasks"],
  cancelTask: ({ id }) => ["POST", `/tasks/${at(id)}:cancel`],
  subscribeToTask: ({ id }) => ["GET", `/tasks/${at(id)}:subscribe`],
  createTaskPushNotificationConfig: (request) => ["POST", configs(request)],
  getTaskPushNotificationConfig: (request) => ["GET", `${configs(request)}/${at(request["id"])}`],
  listTaskPushNotificationConfigs: (request) => ["GET", configs(request)],
  deleteTaskPushNotificationConfig: (request) => [
    "DELETE",
    `${configs(request)}/${at(request["id"])}`,
  ],
  getExtendedAgentCard: () => ["GET", "/extendedAgentCard"],
};

function restDoor(port: number, agent: string | undefined): Door {
  const base = agent === undefined ? "" : `/a2a/${agent}`;
  const asked = (operation: OperationName, request: object, options: CallOptions): HttpRequest => {
    const [method, path] = LINES[operation](request as Fields);
    if (method === "POST") return { method, path: base + path, ...sent(request, options) };
    const { id: _, taskId: __, ...rest } = request as Fields;
    const query = new URLSearchParams(rest as Record<string, string>);
    return {
      method,
      path: `${base}${path}${query.size > 0 ? `?${query.toString()}` : ""}`,
      ...(options.headers && { headers: options.headers }),
      ...(options.signal && { signal: options.signal }),
    };
  };
  return {
    name: "HTTP+JSON",
    binding: "http",
    async call(operation, request, options = {}) {
      const answer = await sendHttp(port, asked(operation, request, options));
      assert.equal(answer.headers["content-type"], "application/json");
      if (answer.status !== 200) throw restRefusal(answer.text, answer.status);
      return JSON.parse(answer.text) as Fields;
    },
    async *stream(operation, request, options = {}) {
      const incoming = await openHttp(port, asked(operation, request, options));
      try {
        if (incoming.statusCode !== 200) {
          const text = (await incoming.setEncoding("utf8").toArray()).join("");
          throw restRefusal(text, incoming.statusCode);
        }
        for await (const { id, data } of eventsOf(incoming)) {
          const response = JSON.parse(data) as Fields;
          if ("error" in response) throw restRefusal(data, undefined);
          yield { id: numberOf(id), response };
        }
      } finally {
        incoming.destroy();
      }
    },
    close: () => undefined,
  };
}

interface RestError {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: Detail[];
}

function restRefusal(text: string, status: number | undefined): Refusal {
  const { error } = JSON.parse(text) as { readonly error: RestError };
  if (status !== undefined) assert.equal(error.code, status);
  return new Refusal(error.code, error.message, error.details);
}

function sent(body: object, { headers, signal }: CallOptions): HttpRequest {
  return {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  };
}

function numberOf(id: string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id);
}

interface Written {
  readonly toProto: (request: never) => Uint8Array;
  readonly fromProto?: (bytes: Uint8Array, mode?: "lenient") => object;
}

const none = (): object => ({});

const WRITTEN: Readonly<
  Record<OperationName, readonly [Written["toProto"], Written["fromProto"]]>
> = {
  sendMessage: [messages.SendMessageRequest.toProto, messages.SendMessageResponse.fromProto],
  sendStreamingMessage: [messages.SendMessageRequest.toProto, messages.StreamResponse.fromProto],
  getTask: [messages.GetTaskRequest.toProto, messages.Task.fromProto],
  listTasks: [messages.ListTasksRequest.toProto, messages.ListTasksResponse.fromProto],
  cancelTask: [messages.CancelTaskRequest.toProto, messages.Task.fromProto],
  subscribeToTask: [messages.SubscribeToTaskRequest.toProto, messages.StreamResponse.fromProto],
  createTaskPushNotificationConfig: [
    messages.TaskPushNotificationConfig.toProto,
    messages.TaskPushNotificationConfig.fromProto,
  ],
  getTaskPushNotificationConfig: [
    messages.GetTaskPushNotificationConfigRequest.toProto,
    messages.TaskPushNotificationConfig.fromProto,
  ],
  listTaskPushNotificationConfigs: [
    messages.ListTaskPushNotificationConfigsRequest.toProto,
    messages.ListTaskPushNotificationConfigsResponse.fromProto,
  ],
  deleteTaskPushNotificationConfig: [
    messages.DeleteTaskPushNotificationConfigRequest.toProto,
    none,
  ],
  getExtendedAgentCard: [
    messages.GetExtendedAgentCardRequest.toProto,
    messages.AgentCard.fromProto,
  ],
};

/** The path of an operation's rpc, and how its messages are written. */
export function rpcOf(operation: OperationName, agent: string | undefined) {
  const [toProto, fromProto = none] = WRITTEN[operation];
  const tenant = agent === undefined ? {} : { tenant: agent };
  return {
    path: `/${v1.grpc.service}/${METHODS.get(operation) ?? ""}`,
    encode: (request: object) => Buffer.from(toProto({ ...tenant, ...request } as never)),
    // Protobuf does not tell what is empty from what is missing.
    decode: (bytes: Buffer) => fromProto(bytes, "lenient") as Fields,
  };
}

function grpcDoor(port: number, agent: string | undefined): Door {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    name: "gRPC",
    binding: "grpc",
    call(operation, request, options = {}) {
      const { path, encode, decode } = rpcOf(operation, agent);
      return new Promise((resolve, reject) => {
        const metadata = metadataOf(options);
        const call = client.makeUnaryRequest(path, encode, decode, request, metadata, done);
        options.signal?.addEventListener("abort", () => call.cancel());
        function done(error: ServiceError | null, answer?: Fields): void {
          if (error) reject(grpcRefusal(error));
          else resolve(answer ?? {});
        }
      });
    },
    async *stream(operation, request, options = {}) {
      const { path, encode, decode } = rpcOf(operation, agent);
      const metadata = metadataOf(options);
      const call = client.makeServerStreamRequest(path, encode, decode, request, metadata);
      options.signal?.addEventListener("abort", () => call.cancel());
      try {
        for await (const response of call) yield { id: undefined, response: response as Fields };
      } catch (thrown) {
        throw grpcRefusal(thrown as ServiceError);
      } finally {
        call.cancel();
      }
    },
    close: () => client.close(),
  };
}

function metadataOf({ headers = {} }: CallOptions): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers))
    metadata.set(name === "last-event-id" ? "a2a-last-event-id" : name, value);
  return metadata;
}

function grpcRefusal({ code, details, metadata }: ServiceError): Refusal {
  const [status] = metadata.get("grpc-status-details-bin");
  return new Refusal(
    code,
    details,
    status instanceof Buffer ? decodeStatus(status).details : undefined,
  );
}
