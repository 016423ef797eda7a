/** What a protocol version supplies, so that no transport has code for an operation and no version code for a transport. */
import type { A2AError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { OperationName, OutputOf, RequestOf } from "../protocol/service.ts";
import type { MessageDescription } from "./schema.ts";
import type { Described } from "./schema/json-schema.ts";

/**
 * Converts one operation between a binding's wire form and the model. `decode` throws INVALID_PARAMS with the path
 * of each field that is wrong. On the JSON bindings the wire form is parsed JSON in, an object or a JsonText out; on
 * gRPC it is protobuf bytes both ways. A stream's `encode` takes one StreamItem and
 * writes its response; the generation in it is the transport's to tell.
 */
export interface Codec<N extends OperationName> {
  decode(wire: unknown): RequestOf<N>;
  encode(output: OutputOf<N>): unknown;
}

/** An operation that a version does not have on a binding has no codec there. */
export type Codecs = { readonly [N in OperationName]?: Codec<N> };

/** The parts of an HTTP request that a REST operation reads. `body` is undefined when the request had none. */
export interface RestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** In the notation of @koa/router, relative to the agent's base: `/tasks/:id\\:cancel`. */
  readonly path: string;
  readonly operation: OperationName;
  /** The request in the form that the operation's REST codec decodes; INVALID_PARAMS when path and body disagree. */
  wireOf(input: RestInput): unknown;
}

/** What an operation reads and answers on HTTP+JSON, for a description of it. */
export interface RestShape {
  readonly request: MessageDescription;
  /** JSON names of members of the request that the path says, or that nobody sends on this binding. */
  readonly elsewhere: readonly string[];
  /** The body of an answer, or the data of an event. Written when it is asked for: few gateways are. */
  readonly answer: () => Described;
  /** Where the id of what the operation makes stands in an answer, as a JSON pointer. */
  readonly madeId?: string;
}

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: readonly unknown[];
}

export interface RestFailure {
  readonly status: number;
  readonly body: unknown;
}

export interface GrpcFailure {
  readonly code: number;
  readonly message: string;
  /** The serialized google.rpc.Status for the trailer `grpc-status-details-bin`; absent in versions without details. */
  readonly status?: Uint8Array;
}

export interface Dialect {
  /** `Major.Minor`. */
  readonly version: string;
  /** Whether a canceled task cannot be canceled again: to 1.0 that changes nothing, 0.3 counts it as an error. */
  readonly cancelsOnce: boolean;
  /** The headers (on gRPC: the metadata) that list extensions, in lower case; answers use the first. */
  readonly extensionHeaders: readonly [string, ...string[]];
  readonly jsonrpc: {
    readonly methods: ReadonlyMap<string, OperationName>;
    readonly codecs: Codecs;
    /** Operations whose callers read nothing but a stream of events: an error before the first event is one, too. */
    readonly streamsErrors: ReadonlySet<OperationName>;
    failure(error: A2AError): RpcFailure;
  };
  readonly rest: {
    readonly routes: readonly Route[];
    readonly codecs: Codecs;
    /** The name of the event that ends a stream which failed; undefined: it has none, like all others. */
    readonly failureEvent: string | undefined;
    failure(error: A2AError): RestFailure;
    /** One for each operation that has a codec. */
    readonly shapes: { readonly [N in OperationName]?: RestShape };
    /** The schema of what a failure's body is. */
    readonly failureSchema: JsonObject;
  };
  readonly grpc: {
    /** Path of the .proto file, absolute. */
    readonly proto: string;
    /** Full name of the service. */
    readonly service: string;
    /** Method name of the service, such as `SendMessage`, to operation. */
    readonly methods: ReadonlyMap<string, OperationName>;
    /** Where a call names its agent: in its message, or in what comes with it. */
    readonly agentIn: "message" | "metadata";
    readonly codecs: Codecs;
    failure(error: A2AError): GrpcFailure;
  };
}
