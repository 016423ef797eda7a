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
import type { Asked } from "../../protocol/asked.ts";
import { UNASKED, type Principal } from "../../protocol/principal.ts";
import type { CountRequest } from "../../protocol/quota.ts";
import type { Call, OperationName } from "../../protocol/service.ts";
import type { BoundDialect, StreamEndpoint, UnaryEndpoint } from "../../wire/endpoint.ts";
import { checkVersion } from "../../wire/version.ts";
import type { ClientAddresses } from "../client-address.ts";
import {
  agentAt,
  requestIdOf,
  type Authenticate,
  type Directory,
  type DoorLog,
} from "../request.ts";
import {
  callOf,
  clientAddressOf,
  credentialsOf,
  settle,
  textAt,
  versionOf,
  type CallOrigin,
  type ServerCall,
} from "./call.ts";
import { definitionIn, passingBytes } from "./definition.ts";
import { FAULT, statusOf } from "./status.ts";
import { sendMessages } from "./stream.ts";

export interface ServiceOptions {
  readonly directory: Directory;
  /** The one agent that is behind this server; without it the call decides, and the primary agent. */
  readonly agent?: string;
  /** Undefined where nobody is asked who they are. */
  readonly authenticate: Authenticate | undefined;
  /** Undefined where nobody counts. */
  readonly countRequest: CountRequest | undefined;
  /** Where callers are, behind proxies too. */
  readonly clients: ClientAddresses;
  newId(): string;
  readonly log: DoorLog;
}

interface Service extends ServiceOptions {
  readonly bound: BoundDialect;
}

export function addService(server: Server, bound: BoundDialect, options: ServiceOptions): void {
  const service: Service = { ...options, bound };
  const loaded = definitionIn(bound.dialect.grpc);
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  const { grpc } = bound.dialect;
  for (const [method, operation] of grpc.methods) {
    const endpoint = bound.grpc[operation];
    if (endpoint === undefined) throw new Error(`${grpc.service}/${method} has no codec`);
    definition[method] = passingBytes(loaded[method], `${grpc.service}/${method}`);
    handlers[method] =
      endpoint.kind === "stream"
        ? streamOf({ ...service, operation }, endpoint)
        : unaryOf({ ...service, operation }, endpoint);
  }
  server.addService(definition, handlers);
}

/** One of the operations of a service. */
interface Operation extends Service {
  readonly operation: OperationName;
}

function unaryOf(service: Operation, endpoint: UnaryEndpoint): handleUnaryCall<Buffer, Uint8Array> {
  return (call, respond) => {
    answer(service, endpoint, call, respond).catch((thrown: unknown) => {
      service.log.error({ err: thrown }, "call could not be answered");
      respond(FAULT);
    });
  };
}

/** Whatever is thrown becomes the status. */
async function answer(
  service: Operation,
  endpoint: UnaryEndpoint,
  call: ServerUnaryCall<Buffer, Uint8Array>,
  respond: sendUnaryData<Uint8Array>,
): Promise<void> {
  const { request } = call;
  const { dialect } = service.bound;
  const requestId = idOf(call, service);
  try {
    const asked = admittedOf(service, call, requestId);
    const admitted = asked instanceof Promise ? await asked : asked;
    const output = await endpoint.invoke(request, admitted);
    settle(call);
    respond(null, output as Uint8Array);
  } catch (thrown) {
    settle(call);
    respond(statusOf(thrown, { dialect, log: service.log, requestId }));
  }
}

function streamOf(
  service: Operation,
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
  service: Operation,
  endpoint: StreamEndpoint,
  call: ServerWritableStream<Buffer, Uint8Array>,
): Promise<void> {
  const { request } = call;
  const { dialect } = service.bound;
  const requestId = idOf(call, service);
  try {
    const asked = admittedOf(service, call, requestId);
    const admitted = asked instanceof Promise ? await asked : asked;
    await sendMessages(call, endpoint.invoke(request, admitted));
  } catch (thrown) {
    if (call.cancelled) return;
    settle(call);
    call.emit("error", statusOf(thrown, { dialect, log: service.log, requestId }));
  }
}

/** The call, once its caller is known, and it is for an agent that this server is for, in a version that the agent offers. */
function admittedOf(service: Operation, call: ServerCall, requestId: string): Call | Promise<Call> {
  const { authenticate, clients } = service;
  service.countRequest?.(clientAddressOf(call, clients), ignore);
  if (authenticate === undefined) return callFrom(service, call, { requestId, principal: UNASKED });
  const asked = askedOf(service, call, requestId);
  const known = authenticate(credentialsOf(call, { clients, asked }));
  const admit = (principal: Principal) => callFrom(service, call, { requestId, principal });
  return known instanceof Promise ? known.then(admit) : admit(known);
}

function askedOf(service: Operation, call: ServerCall, requestId: string): Asked {
  const { version } = service.bound.dialect;
  const agent = namedAgentOf(service, call) ?? service.agent;
  return { requestId, binding: "GRPC", agent, version, operation: service.operation };
}

/** What is left of limits is told on HTTP alone: its fields must not be in trailers, and that is all that errors have. */
function ignore(): void {}

function callFrom(
  service: Service,
  call: ServerCall,
  known: Pick<CallOrigin, "requestId" | "principal">,
): Call {
  const { requestId } = known;
  const { dialect } = service.bound;
  const agent = agentAt(service.agent, namedAgentOf(service, call));
  const offered = service.directory.versionsOf(agent, "GRPC");
  const header = versionOf(call.metadata);
  if (!checkVersion({ header, shape: dialect.version, offered }))
    service.log.debug({ requestId, version: dialect.version }, "no version named");
  return callOf(call, { agent, dialect, clients: service.clients, ...known });
}

/** The metadata counts; failing that, the authority, unless there is but one agent to choose from. */
function namedAgentOf({ bound, directory, agent }: Service, call: ServerCall): string | undefined {
  if (bound.dialect.grpc.agentIn === "message") return undefined;
  const named = textAt(call.metadata, "a2a-agent");
  if (named !== undefined && named !== "") return named;
  if (agent !== undefined) return undefined;
  return directory.namedByHost(call.getHost());
}

function idOf({ metadata }: ServerCall, { newId }: Service): string {
  return requestIdOf(textAt(metadata, "x-request-id"), newId);
}
