/** One client per binding, all with the same face, so that one suite can call each of them. */
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { resolve } from "node:path";
import type { OperationName } from "../../src/protocol/service.ts";
import { v1 } from "../../src/wire/v1/index.ts";
import { eventsOf, openHttp, sendHttp, type HttpAnswer, type HttpRequest } from "./http-client.ts";

export interface CallOptions {
  /** Headers or metadata. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface Received {
  /** The SSE id; gRPC has none. */
  readonly id?: string;
  readonly response: Record<string, unknown>;
}

/** An error answer: the binding's own code and everything else it carried, as text. */
export class AnsweredError extends Error {
  readonly code: number;
  readonly details: string;
  constructor(code: number, message: string, details: string) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export type Fields = Record<string, unknown>;

export interface TransportClient {
  readonly binding: "jsonrpc" | "http" | "grpc";
  call(operation: OperationName, request: Fields, options?: CallOptions): Promise<Fields>;
  /** Throws an AnsweredError; leaves the stream when the generator returns. */
  open(operation: OperationName, request: Fields, options?: CallOptions): AsyncGenerator<Received>;
  close(): void;
}

const METHODS = new Map([...v1.jsonrpc.methods].map(([name, operation]) => [operation, name]));

export function jsonrpcClient(port: number): TransportClient {
  const asked = (
    operation: OperationName,
    params: Fields,
    options: CallOptions = {},
  ): HttpRequest => ({
    method: "POST",
    headers: { "content-type": "application/json", ...options.headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: METHODS.get(operation), params }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return {
    binding: "jsonrpc",
    async call(operation, request, options): Promise<Fields> {
      return resultOf((await sendHttp(port, asked(operation, request, options))).text);
    },
    async *open(operation, request, options): AsyncGenerator<Received> {
      const incoming = await openHttp(port, asked(operation, request, options));
      try {
        if (incoming.headers["content-type"] !== "text/event-stream") {
          incoming.setEncoding("utf8");
          resultOf((await incoming.toArray()).join(""));
        }
        for await (const { id, data } of eventsOf(incoming))
          yield { ...(id === undefined ? {} : { id }), response: resultOf(data) };
      } finally {
        incoming.destroy();
      }
    },
    close: () => undefined,
  };
}

function resultOf(text: string): Fields {
  const { id, result, error } = JSON.parse(text) as {
    id: unknown;
    result: Fields;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error !== undefined)
    throw new AnsweredError(error.code, error.message, JSON.stringify(error.data ?? []));
  if (id !== 7) throw new Error(`answer to ${JSON.stringify(id)}`);
  return result;
}

type RestForm = (request: Fields) => readonly [method: string, path: string, hasBody: boolean];

const segment = (value: unknown): string => encodeURIComponent(String(value));
const configs = ({ taskId }: Fields): string => `/tasks/${segment(taskId)}/pushNotificationConfigs`;

const REST: Readonly<Record<OperationName, RestForm>> = {
  sendMessage: () => ["POST", "/message:send", true],
  sendStreamingMessage: () => ["POST", "/message:stream", true],
  getTask: ({ id }) => ["GET", `/tasks/${segment(id)}`, false],
  listTasks: () => ["GET", "/tasks", false],
  cancelTask: ({ id }) => ["POST", `/tasks/${segment(id)}:cancel`, true],
  subscribeToTask: ({ id }) => ["GET", `/tasks/${segment(id)}:subscribe`, false],
  createTaskPushNotificationConfig: (request) => ["POST", configs(request), true],
  getTaskPushNotificationConfig: (request) => [
    "GET",
    `${configs(request)}/${segment(request["id"])}`,
    false,
  ],
  listTaskPushNotificationConfigs: (request) => ["GET", configs(request), false],
  deleteTaskPushNotificationConfig: (request) => [
    "DELETE",
    `${configs(request)}/${segment(request["id"])}`,
    false,
  ],
  getExtendedAgentCard: () => ["GET", "/extendedAgentCard", false],
};

export function restClient(port: number): TransportClient {
  const asked = (
    operation: OperationName,
    request: Fields,
    options: CallOptions = {},
  ): HttpRequest => {
    const [method, path, hasBody] = REST[operation](request);
    return {
      method,
      path,
      headers: { "content-type": "application/json", ...options.headers },
      ...(hasBody ? { body: JSON.stringify(request) } : {}),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
  };
  return {
    binding: "http",
    async call(operation, request, options): Promise<Fields> {
      const answer = await sendHttp(port, asked(operation, request, options));
      if (answer.status !== 200) throw restError(answer.text, answer.status);
      return JSON.parse(answer.text) as Fields;
    },
    async *open(operation, request, options): AsyncGenerator<Received> {
      const incoming = await openHttp(port, asked(operation, request, options));
      try {
        if (incoming.statusCode !== 200) {
          incoming.setEncoding("utf8");
          throw restError((await incoming.toArray()).join(""), incoming.statusCode ?? 0);
        }
        for await (const { id, data } of eventsOf(incoming)) {
          const response = JSON.parse(data) as Fields;
          if ("error" in response) throw restError(data);
          yield { ...(id === undefined ? {} : { id }), response };
        }
      } finally {
        incoming.destroy();
      }
    },
    close: () => undefined,
  };
}

function restError(text: HttpAnswer["text"], status?: number): AnsweredError {
  const { error } = JSON.parse(text) as {
    error: { code: number; message: string; details?: unknown };
  };
  if (status !== undefined && error.code !== status) throw new Error(`${status}: ${text}`);
  return new AnsweredError(error.code, error.message, JSON.stringify(error.details ?? []));
}

export function grpcClient(port: number): TransportClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    binding: "grpc",
    call(operation, request, options = {}): Promise<Fields> {
      return new Promise((done, fail) => {
        const { path, requestSerialize, responseDeserialize } = definitionOf(operation);
        const call = client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize as (bytes: Buffer) => Fields,
          request,
          metadataOf(options),
          deadlineOf(options),
          (error, value) => {
            if (error !== null) fail(answeredError(error));
            else done(value ?? {});
          },
        );
        options.signal?.addEventListener("abort", () => call.cancel());
      });
    },
    async *open(operation, request, options = {}): AsyncGenerator<Received> {
      const { path, requestSerialize, responseDeserialize } = definitionOf(operation);
      const call = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize as (bytes: Buffer) => Fields,
        request,
        metadataOf(options),
        deadlineOf(options),
      );
      options.signal?.addEventListener("abort", () => call.cancel());
      try {
        for await (const response of call) yield { response: response as Fields };
      } catch (error) {
        throw answeredError(error as ServiceError);
      } finally {
        call.cancel();
      }
    },
    close: () => client.close(),
  };
}

const definition = loadSync(v1.grpc.proto, {
  includeDirs: [resolve(v1.grpc.proto, "../../..")],
  enums: String,
});

function definitionOf(operation: OperationName): MethodDefinition<object, object> {
  const service = definition[v1.grpc.service] as Record<string, MethodDefinition<object, object>>;
  const method = service[METHODS.get(operation) ?? ""];
  if (method === undefined) throw new Error(`no rpc for ${operation}`);
  return method;
}

function metadataOf({ headers = {} }: CallOptions): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers))
    metadata.set(name === "last-event-id" ? "a2a-last-event-id" : name, value);
  return metadata;
}

function deadlineOf({ deadlineMs }: CallOptions): { deadline?: number } {
  return deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
}

function answeredError(error: ServiceError): AnsweredError {
  const [details] = error.metadata.get("grpc-status-details-bin");
  return new AnsweredError(error.code, error.details, details?.toString() ?? "");
}
