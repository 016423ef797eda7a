/** The three doors of version 0.3, spelled out by hand: what they take and give is not what our own codecs say of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { eventsOf, openHttp, sendHttp, type HttpRequest } from "./http-client.ts";

export type Fields = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;

/** An error answer: the code of JSON-RPC, of HTTP or of gRPC. */
export class OlderRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** JSON-RPC 0.3: what is returned is the `result`. */
export interface OlderRpc {
  call(method: string, params: unknown, headers?: Headers): Promise<unknown>;
  /** The results of the events. */
  stream(method: string, params: unknown, headers?: Headers): AsyncGenerator<Fields>;
}

export function olderRpc(port: number, path = "/"): OlderRpc {
  const asked = (method: string, params: unknown, headers: Headers = {}): HttpRequest => ({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: "7", method, params }),
  });
  return {
    async call(method, params, headers) {
      const { status, text } = await sendHttp(port, asked(method, params, headers));
      assert.equal(status, 200, text);
      return resultOf(text);
    },
    async *stream(method, params, headers) {
      const incoming = await openHttp(port, asked(method, params, headers));
      try {
        if (incoming.headers["content-type"] !== "text/event-stream")
          resultOf((await incoming.setEncoding("utf8").toArray()).join(""));
        for await (const { data } of eventsOf(incoming)) yield resultOf(data) as Fields;
      } finally {
        incoming.destroy();
      }
    },
  };
}

interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

function resultOf(text: string): unknown {
  const answer = JSON.parse(text) as RpcAnswer;
  if (answer.error !== undefined) throw new OlderRefusal(answer.error.code, answer.error.message);
  assert.equal(answer.id, "7");
  assert("result" in answer);
  return answer.result;
}

/** HTTP+JSON 0.3. */
export interface OlderRest {
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Fields>;
  stream(method: string, path: string, body?: unknown): AsyncGenerator<Fields>;
}

export function olderRest(port: number, base = ""): OlderRest {
  const asked = (
    method: string,
    path: string,
    body: unknown,
    headers: Headers = {},
  ): HttpRequest => ({
    method,
    path: `${base}/v1${path}`,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    async call(method, path, body, headers) {
      const { status, text } = await sendHttp(port, asked(method, path, body, headers));
      if (status !== 200) throw new OlderRefusal(status, text);
      return JSON.parse(text) as Fields;
    },
    async *stream(method, path, body) {
      const incoming = await openHttp(port, asked(method, path, body));
      try {
        if (incoming.statusCode !== 200) {
          const text = (await incoming.setEncoding("utf8").toArray()).join("");
          throw new OlderRefusal(incoming.statusCode ?? 0, text);
        }
        for await (const { data } of eventsOf(incoming)) yield JSON.parse(data) as Fields;
      } finally {
        incoming.destroy();
      }
    },
  };
}

/** gRPC 0.3, with messages as proto-loader makes objects of them: names as in the file, enums by name, bytes as base64. */
export interface OlderGrpc {
  call(method: string, request: object, metadata?: Headers): Promise<Fields>;
  stream(method: string, request: object, metadata?: Headers): AsyncGenerator<Fields>;
  close(): void;
}

const PROTO = join(import.meta.dirname, "../../proto");
const SERVICE = loadSync(join(PROTO, "a2a/v0_3/a2a.proto"), {
  includeDirs: [PROTO],
  keepCase: true,
  enums: String,
  bytes: String,
  longs: Number,
})["a2a.v1.A2AService"] as ServiceDefinition;

/** `authority` is what the client calls the server. */
export function olderGrpc(port: number, authority?: string): OlderGrpc {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    ...(authority !== undefined && { "grpc.default_authority": authority }),
  });
  return {
    call: (name, request, metadata) =>
      new Promise((resolve, reject) => {
        const { path, requestSerialize, responseDeserialize } = methodOf(name);
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          metadataOf(metadata),
          (error, answer) => {
            if (error) reject(refusalOf(error));
            else resolve(answer as Fields);
          },
        );
      }),
    async *stream(name, request, metadata) {
      const { path, requestSerialize, responseDeserialize } = methodOf(name);
      const call = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataOf(metadata),
      );
      try {
        for await (const event of call) yield event as Fields;
      } catch (thrown) {
        throw refusalOf(thrown as ServiceError);
      } finally {
        call.on("error", () => undefined).cancel();
      }
    },
    close: () => client.close(),
  };
}

function methodOf(name: string): MethodDefinition<object, object> {
  const method = SERVICE[name];
  assert(method, `no method ${name}`);
  return method;
}

function metadataOf(entries: Headers = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

function refusalOf({ code, details }: ServiceError): OlderRefusal {
  return new OlderRefusal(code, details);
}
