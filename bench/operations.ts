/** What is sent and how its answer is checked: each operation once, whatever the binding. */
import { randomUUID } from "node:crypto";
import type { Answer } from "./clients/client.ts";
import { httpRequest } from "./clients/http.ts";
import { decodeMessage, encodeMessage } from "./messages.ts";
import type { Target } from "./targets.ts";
import {
  checkList,
  checkStory,
  checkTask,
  type Events,
  type Page,
  type TaskView,
} from "./checks.ts";

export const BINDINGS = ["jsonrpc", "rest", "grpc"] as const;
export type Binding = (typeof BINDINGS)[number];

/** What is known of a target's tasks before the load begins. */
export interface World {
  readonly known: readonly { readonly id: string; readonly text: string }[];
  readonly pageSize: number;
  /** The least total that a list may answer. */
  readonly total: number;
  /** The token of a page far down the list. */
  readonly deepToken: string;
}

/** A request as bytes, and the check of its answer, which throws what is wrong with it. */
export interface Exchange {
  readonly request: Buffer;
  check(answer: Answer): void;
}

export interface Operation {
  readonly name: string;
  /** The method's name in the specification, which is that of gRPC too. */
  readonly method: string;
  /** Where it is not 1.0. */
  readonly version?: "0.3";
  readonly isStream: boolean;
  /** The next request to a target. `count` numbers the requests of one run. */
  next(target: Target, binding: Binding, world: World, count: number): Exchange;
}

const PADDING = "The quick brown fox jumps over the lazy dog; pack my box with five dozen jugs.";
const MODEL_OF = {
  SendMessage: "SendMessageResponse",
  GetTask: "Task",
  ListTasks: "ListTasksResponse",
};
const REQUEST_OF = {
  SendMessage: "SendMessageRequest",
  SendStreamingMessage: "SendMessageRequest",
  GetTask: "GetTaskRequest",
  ListTasks: "ListTasksRequest",
};
/** Lists are checked in full now and then, else by size: parsing them would make the load the bottleneck. */
const FULL_CHECK_EVERY = 8;

let sent = 0;

export const sendMessage: Operation = {
  name: "send",
  method: "SendMessage",
  isStream: false,
  next(target, binding) {
    const { text, params } = newMessage();
    const request = requestOf(target, binding, "SendMessage", params, "POST /message:send");
    return {
      request,
      check: (answer) =>
        checkTask(modelOf<{ task: TaskView }>(binding, "SendMessage", answer).task, { text }),
    };
  },
};

export const sendStreamingMessage: Operation = {
  name: "stream",
  method: "SendStreamingMessage",
  isStream: true,
  next(target, binding) {
    const { text, params } = newMessage();
    const request = requestOf(
      target,
      binding,
      "SendStreamingMessage",
      params,
      "POST /message:stream",
    );
    return { request, check: (answer) => checkStory(eventsOf(binding, answer), text) };
  },
};

export const getTask: Operation = {
  name: "get",
  method: "GetTask",
  isStream: false,
  next(target, binding, { known }, count) {
    const { id, text } = known[count % known.length] ?? { id: "", text: "" };
    const request = requestOf(target, binding, "GetTask", { id }, `GET /tasks/${id}`);
    return {
      request,
      check: (answer) => checkTask(modelOf<TaskView>(binding, "GetTask", answer), { id, text }),
    };
  },
};

export const listFirstPage = listOf("list", () => ({}));
export const listDeepPage = listOf("listdeep", ({ deepToken }) => ({ pageToken: deepToken }));

/** ListTasks with these parameters besides the page's size. */
export function listOf(
  name: string,
  filtersOf: (world: World) => Record<string, string>,
): Operation {
  return {
    name,
    method: "ListTasks",
    isStream: false,
    next(target, binding, world, count) {
      const params = { pageSize: world.pageSize, ...filtersOf(world) };
      const query = queryOf(params);
      const request = requestOf(target, binding, "ListTasks", params, `GET /tasks?${query}`);
      return {
        request,
        check(answer) {
          if (count % FULL_CHECK_EVERY === 0)
            return checkList(modelOf<Page>(binding, "ListTasks", answer), world);
          const size = answer.messages[0]?.length ?? 0;
          if (answer.status !== SUCCESS[binding] || size < 80 * world.pageSize)
            throw new Error(`status ${answer.status}, ${size} bytes`);
        },
      };
    },
  };
}

function queryOf(params: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  return query.toString();
}

export const SUCCESS: Readonly<Record<Binding, number>> = { jsonrpc: 200, rest: 200, grpc: 0 };

export function newMessage(text = `bench ${String(++sent).padStart(9, "0")} ${PADDING}`) {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  return { text, params: { message } };
}

/** A request in the form of a binding; `route` is that of REST. */
export function requestOf(
  target: Target,
  binding: Binding,
  method: keyof typeof REQUEST_OF,
  params: object,
  route: string,
): Buffer {
  if (binding === "grpc") {
    const { agent } = target;
    const tenant = agent === undefined ? params : { ...params, tenant: agent };
    return encodeMessage(REQUEST_OF[method], tenant);
  }
  const headers = { ...headersOf(method === "SendStreamingMessage"), ...credentialsOf(target) };
  if (binding === "jsonrpc") {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return httpRequest("POST", target.jsonrpc, headers, body);
  }
  const [verb = "", path = ""] = route.split(" ");
  const body = verb === "POST" ? JSON.stringify(params) : "";
  return httpRequest(verb, target.rest.replace(/\/$/, "") + path, headers, body);
}

let asked = 0;

/** The next of the target's tokens. */
export function credentialsOf({ tokens = [] }: Target): Readonly<Record<string, string>> {
  const token = tokens[asked++ % tokens.length];
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

export function headersOf(isStream: boolean): Readonly<Record<string, string>> {
  return {
    "Content-Type": "application/json",
    Accept: isStream ? "text/event-stream" : "application/json",
    "A2A-Version": "1.0",
  };
}

/** The model in a unary answer; throws when it is an error. */
export function modelOf<T>(binding: Binding, method: keyof typeof MODEL_OF, answer: Answer): T {
  const [body = Buffer.alloc(0)] = answer.messages;
  if (answer.status !== SUCCESS[binding])
    throw new Error(`status ${answer.status}: ${excerpt(body)}`);
  if (binding === "grpc") return decodeMessage(MODEL_OF[method], body) as T;
  return unwrapped(binding, body.toString()) as T;
}

function eventsOf(binding: Binding, answer: Answer): Events {
  if (answer.status !== SUCCESS[binding]) throw new Error(`status ${answer.status}`);
  if (binding === "grpc")
    return answer.messages.map((bytes) => decodeMessage("StreamResponse", bytes)) as Events;
  const text = String(answer.messages[0] ?? "");
  return sseData(text).map((data) => unwrapped(binding, data)) as Events;
}

/** The data of each event of an event stream. */
export function sseData(text: string): readonly string[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
        .join("\n"),
    )
    .filter((data) => data !== "");
}

function unwrapped(binding: Binding, text: string): unknown {
  const parsed = JSON.parse(text) as { result?: unknown; error?: unknown };
  if (parsed.error !== undefined)
    throw new Error(`error ${JSON.stringify(parsed.error).slice(0, 200)}`);
  return binding === "jsonrpc" ? parsed.result : parsed;
}

function excerpt(body: Buffer): string {
  return body.toString("utf8", 0, 200);
}
