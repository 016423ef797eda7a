/** What comes with a gRPC call beside its message. */
import { Metadata, type ServerUnaryCall, type ServerWritableStream } from "@grpc/grpc-js";
import type { Asked } from "../../protocol/asked.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Dialect } from "../../wire/dialect.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Call } from "../../protocol/service.ts";
import type { ClientAddresses } from "../client-address.ts";
import { extensionsOf, generationOf, type Credentials } from "../request.ts";
import { peerCertificateOf } from "../tls-peer.ts";

export type ServerCall =
  ServerUnaryCall<Buffer, Uint8Array> | ServerWritableStream<Buffer, Uint8Array>;

/** What there is of a call before its message. */
export type CallHead = Pick<ServerCall, "metadata" | "getPeer" | "getHost" | "getAuthContext">;

export interface CallOrigin {
  /** The agent that the call named beside its message. */
  readonly agent: string | undefined;
  /** The dialect that answers. */
  readonly dialect: Pick<Dialect, "version" | "extensionHeaders" | "cancelsOnce">;
  readonly requestId: string;
  readonly principal: Principal;
  /** Where callers are, behind proxies too. */
  readonly clients: ClientAddresses;
}

export function callOf(call: ServerCall, origin: CallOrigin): Call {
  return new GrpcCall(call, origin);
}

/**
 * A class for its getters: what most calls never ask for is made when it is asked for. A getter in an object literal
 * would give every call a hidden class of its own.
 */
class GrpcCall implements Call {
  readonly agent: string | undefined;
  readonly principal: Principal;
  readonly binding = "GRPC";
  readonly version: string;
  readonly cancelsOnce: boolean;
  readonly extensions: readonly string[];
  readonly resumeAfter: number | undefined;
  readonly requestId: string;
  readonly #call: ServerCall;
  readonly #clients: ClientAddresses;
  readonly #extensionHeader: string;
  #signal: AbortSignal | undefined;

  constructor(call: ServerCall, { agent, dialect, requestId, principal, clients }: CallOrigin) {
    this.agent = agent;
    this.version = dialect.version;
    this.cancelsOnce = dialect.cancelsOnce;
    this.extensions = extensionsOf(listAt(call.metadata, dialect.extensionHeaders));
    this.resumeAfter = generationOf(textAt(call.metadata, "a2a-last-event-id"));
    this.requestId = requestId;
    this.principal = principal;
    this.#call = call;
    this.#clients = clients;
    this.#extensionHeader = dialect.extensionHeaders[0];
  }

  activate(extensions: readonly string[]): void {
    const metadata = new Metadata();
    metadata.set(this.#extensionHeader, extensions.join(", "));
    this.#call.sendMetadata(metadata);
  }

  /** There is no field for it: those of HTTP must not be in trailers, and metadata is sent before an answer is known. */
  tell(): void {}

  get signal(): AbortSignal {
    return (this.#signal ??= cancellationOf(this.#call));
  }

  get address(): string {
    return clientAddressOf(this.#call, this.#clients);
  }

  get headers(): Readonly<Record<string, string>> {
    return headersOf(this.#call.metadata);
  }
}

/** What a call brings that may say who sent it. */
export function credentialsOf(
  call: CallHead,
  { clients, asked }: { readonly clients: ClientAddresses; readonly asked: Asked },
): Credentials {
  return {
    headers: headersOf(call.metadata),
    query: NO_QUERY,
    certificate: peerCertificateOf(call),
    address: clientAddressOf(call, clients),
    asked,
  };
}

/** The IP address of whoever sent a call, that of a trusted proxy's client included. */
export function clientAddressOf(call: CallHead, clients: ClientAddresses): string {
  const { metadata } = call;
  return clients.of(addressIn(call.getPeer()), () => ({
    forwarded: listAt(metadata, ["forwarded"]),
    xForwardedFor: listAt(metadata, ["x-forwarded-for"]),
  }));
}

const NO_QUERY = new URLSearchParams();

/** `127.0.0.1:50051` or `[::1]:50051`, without the port. */
function addressIn(peer: string): string {
  return peer.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}

export function versionOf(metadata: Metadata): string | undefined {
  return textAt(metadata, "a2a-version");
}

export function textAt(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name)[0];
  return typeof value === "string" ? value : undefined;
}

/** Entries of all these names joined by commas, as HTTP joins repeated headers. */
function listAt(metadata: Metadata, names: readonly string[]): string | undefined {
  const values = names.flatMap((name) => metadata.get(name));
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

/** Most metadata is text alone, and the copy of it that grpc-js makes does. */
function headersOf(metadata: Metadata): Readonly<Record<string, string>> {
  const map = metadata.getMap();
  if (isText(map)) return map;
  const headers: Record<string, string> = {};
  for (const name in map) {
    const value = map[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

function isText(map: Readonly<Record<string, unknown>>): map is Readonly<Record<string, string>> {
  for (const name in map) if (typeof map[name] !== "string") return false;
  return true;
}
