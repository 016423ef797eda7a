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
import { UNASKED } from "../../protocol/principal.ts";
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
  type CallHead,
  type ServerCall,
} from "./call.ts";
import { definitionIn, passingBytes } from "./definition.ts";
import { Admission, type Host, type Reception } from "./reception.ts";
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
  readonly reception: Reception;
}

/** Where somebody is asked or counted, `reception` has to be one of the server's interceptors. */
export function addService(
  server: Server,
  bound: BoundDialect,
  options: ServiceOptions & Pick<Service, "reception">,
): void {
  const service: Service = { ...options, bound };
  const loaded = definitionIn(bound.dialect.grpc);
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  const { grpc } = bound.dialect;
  for (const [method, operation] of grpc.methods) {
    const endpoint = bound.grpc[operation];
    if (endpoint === undefined) throw new Error(`${grpc.service}/${method} has no codec`);
    const passing = passingBytes(loaded[method], `${grpc.service}/${method}`);
    definition[method] = passing;
    options.reception.add(passing.path, hostOf({ ...service, operation }));
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
  const admission = admissionOf(service, call);
  const { requestId } = admission;
  try {
    const output = await endpoint.invoke(request, callFrom(service, call, admission));
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
  const admission = admissionOf(service, call);
  const { requestId } = admission;
  try {
    await sendMessages(call, endpoint.invoke(request, callFrom(service, call, admission)));
  } catch (thrown) {
    if (call.cancelled) return;
    settle(call);
    call.emit("error", statusOf(thrown, { dialect, log: service.log, requestId }));
  }
}

/** Counts a call, and asks who calls. */
function hostOf(service: Operation): Host {
  const { authenticate, clients, countRequest, bound, log } = service;
  return {
    requestIdOf: (head) => idOf(head, service),
    admit(head, requestId) {
      countRequest?.(clientAddressOf(head, clients), ignore);
      if (authenticate === undefined) return UNASKED;
      const asked = askedOf(service, head, requestId);
      return authenticate(credentialsOf(head, { clients, asked }));
    },
    statusOf: (thrown, requestId) => statusOf(thrown, { dialect: bound.dialect, log, requestId }),
  };
}

/** Throws an Error where somebody is to be asked and nobody was. */
function admissionOf(service: Operation, call: ServerCall): Admission {
  const admission = service.reception.admissionOf(call);
  if (admission) return admission;
  if (service.authenticate) throw new Error("nobody was asked who calls");
  return new Admission(idOf(call, service), UNASKED);
}

function askedOf(service: Operation, call: CallHead, requestId: string): Asked {
  const { version } = service.bound.dialect;
  const agent = namedAgentOf(service, call) ?? service.agent;
  return { requestId, binding: "GRPC", agent, version, operation: service.operation };
}

/** What is left of limits is told on HTTP alone: its fields must not be in trailers, and that is all that errors have. */
function ignore(): void {}

/** The call, where it is for an agent that this server is for, in a version that the agent offers. */
function callFrom(service: Service, call: ServerCall, known: Admission): Call {
  const { requestId, principal } = known;
  const { dialect } = service.bound;
  const agent = agentAt(service.agent, namedAgentOf(service, call));
  const offered = service.directory.versionsOf(agent, "GRPC");
  const header = versionOf(call.metadata);
  if (!checkVersion({ header, shape: dialect.version, offered }))
    service.log.debug({ requestId, version: dialect.version }, "no version named");
  const { clients } = service;
  return callOf(call, { agent, dialect, clients, requestId, principal });
}

/** The metadata counts; failing that, the authority, unless there is but one agent to choose from. */
function namedAgentOf({ bound, directory, agent }: Service, call: CallHead): string | undefined {
  if (bound.dialect.grpc.agentIn === "message") return undefined;
  const named = textAt(call.metadata, "a2a-agent");
  if (named !== undefined && named !== "") return named;
  if (agent !== undefined) return undefined;
  return directory.namedByHost(call.getHost());
}

function idOf({ metadata }: CallHead, { newId }: Service): string {
  return requestIdOf(textAt(metadata, "x-request-id"), newId);
}
