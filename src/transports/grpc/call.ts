/** What comes with a gRPC call beside its message. */
import type { Metadata, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { A2AError } from "../../protocol/errors.ts";
import { ANONYMOUS, type Call } from "../../protocol/service.ts";
import { extensionsOf, generationOf } from "../request.ts";

export type ServerCall =
  ServerUnaryCall<Buffer, Uint8Array> | ServerWritableStream<Buffer, Uint8Array>;

export function callOf(call: ServerCall, version: string, requestId: string): Call {
  return new GrpcCall(call, version, requestId);
}

/**
 * A class for its getters: what most calls never ask for is made when it is asked for. A getter in an object literal
 * would give every call a hidden class of its own.
 */
class GrpcCall implements Call {
  /** Left open: version 1.0 names it in the message, as its tenant. */
  readonly agent = undefined;
  readonly principal = ANONYMOUS;
  readonly version: string;
  readonly extensions: readonly string[];
  readonly resumeAfter: number | undefined;
  readonly requestId: string;
  readonly #call: ServerCall;
  #signal: AbortSignal | undefined;

  constructor(call: ServerCall, version: string, requestId: string) {
    this.version = version;
    this.extensions = extensionsOf(listAt(call.metadata, "a2a-extensions"));
    this.resumeAfter = generationOf(textAt(call.metadata, "a2a-last-event-id"));
    this.requestId = requestId;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= cancellationOf(this.#call));
  }

  get headers(): Readonly<Record<string, string>> {
    return headersOf(this.#call.metadata);
  }
}

export function versionOf(metadata: Metadata): string | undefined {
  return textAt(metadata, "a2a-version");
}

export function textAt(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name)[0];
  return typeof value === "string" ? value : undefined;
}

/** Repeated entries joined by commas, as HTTP joins repeated headers. */
function listAt(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  return values.length === 0 ? undefined : values.join(",");
}

/** Aborted when the caller cancels or leaves, and at the deadline, which grpc-js answers itself. */
function cancellationOf(call: ServerCall): AbortSignal {
  const controller = new AbortController();
  const cancel = (): void =>
    controller.abort(new A2AError("CANCELLED", "the caller ended the call"));
  if (call.cancelled) cancel();
  else call.on("cancelled", cancel);
  return controller.signal;
}

/** To be called before the last answer, errors included: grpc-js reports the end of every call as a cancellation too. */
export function settle(call: ServerCall): void {
  call.removeAllListeners("cancelled");
}

function headersOf(metadata: Metadata): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const map = metadata.getMap();
  for (const name in map) {
    const value = map[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}
