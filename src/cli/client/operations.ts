/** The operations that the command line calls, and their names on each binding (spec 5.3). */
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  Message,
  SendMessageRequest,
  SubscribeToTaskRequest,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from "../../protocol/model.ts";

export type SendAnswer = { readonly task: Task } | { readonly message: Message };

export type StreamEvent =
  | SendAnswer
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

export interface UnaryCalls {
  sendMessage: [request: SendMessageRequest, answer: SendAnswer];
  getTask: [request: GetTaskRequest, answer: Task];
  listTasks: [request: ListTasksRequest, answer: TaskPage];
  cancelTask: [request: CancelTaskRequest, answer: Task];
}

export interface StreamCalls {
  sendStreamingMessage: [request: SendMessageRequest, answer: StreamEvent];
  subscribeToTask: [request: SubscribeToTaskRequest, answer: StreamEvent];
}

export type Calls = UnaryCalls & StreamCalls;
export type CallName = keyof Calls;

export interface Operation {
  /** The JSON-RPC method, which is the gRPC method too. */
  readonly method: string;
  /** Names of the protobuf messages. */
  readonly request: string;
  readonly answer: string;
  readonly verb: "GET" | "POST";
  /** Relative to the url of the interface; `{id}` is the task's. */
  readonly path: string;
}

export const OPERATIONS: Readonly<Record<CallName, Operation>> = {
  sendMessage: {
    method: "SendMessage",
    request: "SendMessageRequest",
    answer: "SendMessageResponse",
    verb: "POST",
    path: "/message:send",
  },
  sendStreamingMessage: {
    method: "SendStreamingMessage",
    request: "SendMessageRequest",
    answer: "StreamResponse",
    verb: "POST",
    path: "/message:stream",
  },
  getTask: {
    method: "GetTask",
    request: "GetTaskRequest",
    answer: "Task",
    verb: "GET",
    path: "/tasks/{id}",
  },
  listTasks: {
    method: "ListTasks",
    request: "ListTasksRequest",
    answer: "ListTasksResponse",
    verb: "GET",
    path: "/tasks",
  },
  cancelTask: {
    method: "CancelTask",
    request: "CancelTaskRequest",
    answer: "Task",
    verb: "POST",
    path: "/tasks/{id}:cancel",
  },
  subscribeToTask: {
    method: "SubscribeToTask",
    request: "SubscribeToTaskRequest",
    answer: "StreamResponse",
    verb: "POST",
    path: "/tasks/{id}:subscribe",
  },
};
