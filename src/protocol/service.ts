/**
 * The eleven operations of A2A (spec 3.1) on the canonical model. Core implements them, each dialect binds them,
 * every transport carries them: all three are typed from the two tables here.
 */
import type { AgentCard, ProtocolBinding } from "./agent-card.ts";
import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  Empty,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  TaskOutput,
  TaskPushNotificationConfig,
} from "./model.ts";
import type { Principal } from "./principal.ts";
import type { Quota } from "./quota.ts";
import type { ReadyMade } from "./ready-made.ts";

export interface UnaryOperations {
  sendMessage: [request: SendMessageRequest, output: SendMessageResponse];
  getTask: [request: GetTaskRequest, output: TaskOutput];
  listTasks: [request: ListTasksRequest, output: ListTasksResponse];
  cancelTask: [request: CancelTaskRequest, output: TaskOutput];
  createTaskPushNotificationConfig: [
    request: TaskPushNotificationConfig,
    output: TaskPushNotificationConfig,
  ];
  getTaskPushNotificationConfig: [
    request: GetTaskPushNotificationConfigRequest,
    output: TaskPushNotificationConfig,
  ];
  listTaskPushNotificationConfigs: [
    request: ListTaskPushNotificationConfigsRequest,
    output: ListTaskPushNotificationConfigsResponse,
  ];
  deleteTaskPushNotificationConfig: [
    request: DeleteTaskPushNotificationConfigRequest,
    output: Empty,
  ];
  getExtendedAgentCard: [request: GetExtendedAgentCardRequest, output: AgentCard];
}

export interface StreamOperations {
  sendStreamingMessage: [request: SendMessageRequest, output: StreamItem];
  subscribeToTask: [request: SubscribeToTaskRequest, output: StreamItem];
}

export type Operations = UnaryOperations & StreamOperations;
export type OperationName = keyof Operations;
export type RequestOf<N extends OperationName> = Operations[N][0];
export type OutputOf<N extends OperationName> = Operations[N][1];

/** Which operations answer once and which with a stream. */
export const OPERATIONS: Readonly<Record<OperationName, "unary" | "stream">> = {
  sendMessage: "unary",
  sendStreamingMessage: "stream",
  getTask: "unary",
  listTasks: "unary",
  cancelTask: "unary",
  subscribeToTask: "stream",
  createTaskPushNotificationConfig: "unary",
  getTaskPushNotificationConfig: "unary",
  listTaskPushNotificationConfigs: "unary",
  deleteTaskPushNotificationConfig: "unary",
  getExtendedAgentCard: "unary",
};

/** One item of a stream: an event, with its generation when it is one that the log holds and a client may resume after. */
export interface StreamItem {
  readonly response: StreamResponse | ReadyMade<StreamResponse>;
  readonly generation?: number;
}

/** What comes with a request beside its body: one per call, made by the transport. */
export interface Call {
  /** The agent that the address named; undefined when it named none (the tenant or the primary agent decides). */
  readonly agent: string | undefined;
  readonly principal: Principal;
  /** The door; undefined for what came through none, as the calls of operators do. */
  readonly binding: ProtocolBinding | undefined;
  /**
   * The caller's IP address, that of a trusted proxy's client included. To be asked for when the call begins: it is not
   * known any more once the caller has gone.
   */
  readonly address: string;
  /** The protocol version of the door, `Major.Minor`. */
  readonly version: string;
  /** Whether a task that is canceled already is refused, as one that has ended otherwise is. */
  readonly cancelsOnce: boolean;
  /** The URIs of A2A-Extensions, in order, without repeats. */
  readonly extensions: readonly string[];
  /** Aborted when the caller went away, when its deadline passed, or when the gateway ends the call. */
  readonly signal: AbortSignal;
  /** The generation after which the caller wants to resume a stream (`Last-Event-ID`, `a2a-last-event-id`). */
  readonly resumeAfter: number | undefined;
  /** The caller's headers or gRPC metadata, names in lower case; the handlers' allow lists pick from them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Told by the service, before the first output, which of the extensions the agent has: answers list them. */
  activate(extensions: readonly string[]): void;
  /** Told by the service, before the first output, what its caller has left; answers say so where they can. */
  tell(quota: Quota): void;
  /** Names the request in logs; the caller's `x-request-id` or one of our own. */
  readonly requestId: string;
}

export type UnaryService = {
  [N in keyof UnaryOperations]: (request: RequestOf<N>, call: Call) => Promise<OutputOf<N>>;
};

export type StreamService = {
  [N in keyof StreamOperations]: (request: RequestOf<N>, call: Call) => AsyncIterable<OutputOf<N>>;
};

export type A2AService = UnaryService & StreamService;
