/** A version's gRPC service. The codecs work on protobuf bytes, so grpc-js hands messages through as they are. */
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { Dialect } from "../../wire/dialect.ts";
import {
  checkVersion,
  type BoundDialect,
  type StreamEndpoint,
  type UnaryEndpoint,
} from "../../wire/endpoint.ts";
import { PROTO_ROOT } from "../../wire/schema/shapes.ts";
import { requestIdOf, type ErrorLog } from "../request.ts";
import { callOf, settle, textAt, versionOf, type ServerCall } from "./call.ts";
import { FAULT, statusOf } from "./status.ts";
import { sendMessages } from "./stream.ts";

export interface ServiceOptions {
  readonly dialects: readonly BoundDialect[];
  newId(): string;
  readonly log: ErrorLog;
}

interface Service extends ServiceOptions {
  readonly bound: BoundDialect;
  readonly versions: readonly string[];
}

export function addService(server: Server, bound: BoundDialect, options: ServiceOptions): void {
  const { newId, log, dialects } = options;
  const versions = dialects.map(({ dialect }) => dialect.version);
  const service: Service = { dialects, newId, log, bound, versions };
  const loaded = definitionIn(bound.dialect.grpc);
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  const { grpc } = bound.dialect;
  for (const [method, operation] of grpc.methods) {
    const endpoint = bound.grpc[operation];
    definition[method] = passingBytes(loaded[method], `${grpc.service}/${method}`);
    handlers[method] =
      endpoint.kind === "stream" ? streamOf(service, endpoint) : unaryOf(service, endpoint);
  }
  server.addService(definition, handlers);
}

/** The service as its .proto declares it. */
function definitionIn({ proto, service }: Dialect["grpc"]): ServiceDefinition {
  const definition = loadSync(proto, { includeDirs: [PROTO_ROOT] })[service];
  if (definition === undefined || "format" in definition) {
    throw new Error(`${proto} declares no service ${service}`);
  }
  return definition;
}

/** The method's path and streaming as declared; its messages go to the codecs as bytes. */
function passingBytes(
  declared: ServiceDefinition[string] | undefined,
  name: string,
): ServiceDefinition[string] {
  if (declared === undefined) throw new Error(`no method ${name} is declared`);
  return {
    ...declared,
    requestSerialize: bufferOf,
    requestDeserialize: untouched,
    responseSerialize: bufferOf,
    responseDeserialize: untouched,
  };
}

function untouched(bytes: Buffer): Buffer {
  return bytes;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unaryOf(service: Service, endpoint: UnaryEndpoint): handleUnaryCall<Buffer, Uint8Array> {
  return (call, respond) => {
    answer(service, endpoint, call, respond).catch((thrown: unknown) => {
      service.log.error({ err: thrown }, "call could not be answered");
      respond(FAULT);
    });
  };
}

/** Whatever is thrown becomes the status. */
async function answer(
  service: Service,
  endpoint: UnaryEndpoint,
  call: ServerUnaryCall<Buffer, Uint8Array>,
  respond: sendUnaryData<Uint8Array>,
): Promise<void> {
  const { metadata, request } = call;
  const { dialect } = service.bound;
  const requestId = idOf(call, service);
  try {
    checkVersion(versionOf(metadata), dialect.version, service.versions);
    const output = await endpoint.invoke(request, callOf(call, dialect.version, requestId));
    settle(call);
    respond(null, output as Uint8Array);
  } catch (thrown) {
    settle(call);
    respond(statusOf(thrown, dialect, service.log, { requestId }));
  }
}

function streamOf(
  service: Service,
  endpoint: StreamEndpoint,
): handleServerStreamingCall<Buffer, Uint8Array> {
  return (call) => {
    stream(service, endpoint, call).catch((thrown: unknown) => {
      service.log.error({ err: thrown }, "call could not be answered");
      call.emit("error", FAULT);
    });
  };
}

/** Whatever is thrown becomes the trailing status. */
async function stream(
  service: Service,
  endpoint: StreamEndpoint,
  call: ServerWritableStream<Buffer, Uint8Array>,
): Promise<void> {
  const { metadata, request } = call;
  const { dialect } = service.bound;
  const requestId = idOf(call, service);
  try {
    checkVersion(versionOf(metadata), dialect.version, service.versions);
    const items = endpoint.invoke(request, callOf(call, dialect.version, requestId));
    await sendMessages(call, items);
  } catch (thrown) {
    if (call.cancelled) return;
    settle(call);
    call.emit("error", statusOf(thrown, dialect, service.log, { requestId }));
  }
}

function idOf({ metadata }: ServerCall, { newId }: Service): string {
  return requestIdOf(textAt(metadata, "x-request-id"), newId);
}
