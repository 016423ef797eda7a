/**
 * What a protocol version supplies to *call* agents of it: the codecs of the dialects read backwards. Requests are of
 * the canonical model, and so are answers; what an agent sends is read leniently, and what cannot be read at all is
 * INVALID_AGENT_RESPONSE.
 */
import type { A2AError } from "../protocol/errors.ts";
import type { SendMessageResponse, StreamResponse, Task } from "../protocol/model.ts";
import type { RequestOf } from "../protocol/service.ts";

/** The operations that the gateway calls on agents behind it. */
export interface ClientOperations {
  sendMessage: SendMessageResponse;
  sendStreamingMessage: ClientEvent;
  getTask: Task;
  cancelTask: Task;
  subscribeToTask: ClientEvent;
}

export type ClientOperation = keyof ClientOperations;

/** One event of a stream. */
export interface ClientEvent {
  readonly response: StreamResponse;
  /** Whether the agent says that it is the last one (0.3: `final`); the state alone says whether the task has ended. */
  readonly isLast: boolean;
}

/** An HTTP request relative to the URL of the agent's interface. */
export interface ClientHttpRequest {
  readonly method: "GET" | "POST";
  /** Begins with a slash; percent-encoded, with its query. */
  readonly path: string;
  /** JSON text; undefined: no body. */
  readonly body: string | undefined;
}

export interface ClientDialect {
  /** `Major.Minor`. */
  readonly version: string;
  /** The header, or metadata, that lists extensions, in lower case. */
  readonly extensionHeader: string;
  readonly jsonrpc: {
    /** The method's name. */
    methodOf(operation: ClientOperation): string;
    /** The params, as an object for JSON. */
    encode<N extends ClientOperation>(operation: N, request: RequestOf<N>): unknown;
    /** The parsed `result` of an answer, or of one event of a stream. Throws INVALID_AGENT_RESPONSE. */
    decode<N extends ClientOperation>(operation: N, result: unknown): ClientOperations[N];
    /** The parsed `error` of an answer, whatever is in it. */
    errorOf(error: unknown): A2AError;
  };
  readonly rest: {
    requestOf<N extends ClientOperation>(operation: N, request: RequestOf<N>): ClientHttpRequest;
    /** The parsed body of an answer, or the data of one event. Throws INVALID_AGENT_RESPONSE. */
    decode<N extends ClientOperation>(operation: N, body: unknown): ClientOperations[N];
    /** The error in a body; `body` is undefined where it was no JSON. */
    errorOf(status: number, body: unknown): A2AError;
    /** The error in the data of an event; undefined for an event that is none. `name` is that of the event. */
    errorIn(data: unknown, name: string | undefined): A2AError | undefined;
  };
  readonly grpc: {
    /** The path of a method, such as `/lf.a2a.v1.A2AService/SendMessage`. */
    pathOf(operation: ClientOperation): string;
    encode<N extends ClientOperation>(operation: N, request: RequestOf<N>): Uint8Array;
    /** Throws INVALID_AGENT_RESPONSE. */
    decode<N extends ClientOperation>(operation: N, message: Uint8Array): ClientOperations[N];
    /** `details` are the bytes of `grpc-status-details-bin`. */
    errorOf(code: number, message: string, details: Uint8Array | undefined): A2AError;
  };
}
