/** What comes with a gRPC call beside its message. */
import type { Metadata, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { A2AError } from "../../protocol/errors.ts";
import { ANONYMOUS, type Call } from "../../protocol/service.ts";

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
    this.extensions = extensionsOf(call.metadata);
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

/** The caller's request id where it is fit for a log line, else a new one. */
export function requestIdOf(metadata: Metadata, newId: () => string): string {
  const given = textAt(metadata, "x-request-id");
  return given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newId();
}

function textAt(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name)[0];
  return typeof value === "string" ? value : undefined;
}

const NO_EXTENSIONS: readonly string[] = [];

function extensionsOf(metadata: Metadata): readonly string[] {
  const values = metadata.get("a2a-extensions");
  if (values.length === 0) return NO_EXTENSIONS;
  const uris = values.flatMap((value) =>
    String(value)
      .split(",")
      .map((uri) => uri.trim())
      .filter((uri) => uri !== ""),
  );
  return [...new Set(uris)];
}

function generationOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
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

/** To be called before the last answer: grpc-js reports the end of every call as a cancellation too. */
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
