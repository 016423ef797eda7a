/** The six doors of one agent, with one face: what a caller means goes in, what the answers say comes out. */
import assert from "node:assert/strict";
import { openDoors, type Door } from "../support/doors.ts";
import { olderGrpc, olderRest, olderRpc, type Fields } from "../support/older-doors.ts";

/** What every version can say of a part. */
type Part =
  | { readonly text: unknown }
  | { readonly data: unknown }
  | { readonly bytes: unknown; readonly type: unknown; readonly name: unknown }
  | { readonly url: unknown; readonly type: unknown; readonly name: unknown };

/** What every version can say of a task; states without prefix, in lower case, with hyphens, canceled with one l. */
export interface Facts {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
  readonly said?: readonly Part[];
  readonly history: readonly { readonly by: string; readonly parts: readonly Part[] }[];
  readonly artifacts: readonly { readonly id: string; readonly parts: readonly Part[] }[];
}

export type Event =
  | { readonly kind: "task"; readonly task: Facts }
  | { readonly kind: "status"; readonly id: string; readonly state: string }
  | { readonly kind: "artifact"; readonly id: string; readonly parts: readonly Part[] };

export interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly taskId?: string;
}

export interface SixthDoor {
  readonly name: string;
  /** Waits for the end or a question. */
  send(said: Said): Promise<Facts>;
  stream(said: Said): AsyncGenerator<Event>;
  get(id: string): Promise<Facts>;
  cancel(id: string): Promise<Facts>;
  subscribe(id: string): AsyncGenerator<Event>;
  close(): void;
}

export function sixDoors(port: number): readonly SixthDoor[] {
  return [...openDoors(port).map(newerDoor), rpcDoor(port), restDoor(port), grpcDoor(port)];
}

function newerDoor(door: Door): SixthDoor {
  const message = ({ messageId, text, taskId }: Said): object => ({
    message: { messageId, role: "ROLE_USER", parts: [{ text }], ...(taskId && { taskId }) },
  });
  const events = async function* (items: AsyncGenerator<{ readonly response: Fields }>) {
    for await (const { response } of items) yield eventOf(response, factsOf, partOf);
  };
  return {
    name: `${door.name} 1.0`,
    send: async (said) => factsOf(at(await door.call("sendMessage", message(said)), "task")),
    stream: (said) => events(door.stream("sendStreamingMessage", message(said))),
    get: async (id) => factsOf(await door.call("getTask", { id })),
    cancel: async (id) => factsOf(await door.call("cancelTask", { id })),
    subscribe: (id) => events(door.stream("subscribeToTask", { id })),
    close: () => door.close(),
  };

  function partOf({ text, data, raw, url, mediaType, filename }: Fields): Part {
    if (text !== undefined) return { text };
    if (raw !== undefined) return { bytes: raw, type: mediaType, name: filename };
    if (url !== undefined) return { url, type: mediaType, name: filename };
    return { data };
  }

  function factsOf(task: Fields): Facts {
    return facts(task, { parts: "parts", partOf });
  }
}

function rpcDoor(port: number): SixthDoor {
  const rpc = olderRpc(port);
  const message = ({ messageId, text, taskId }: Said): object => ({
    message: {
      kind: "message",
      messageId,
      role: "user",
      parts: [{ kind: "text", text }],
      ...(taskId && { taskId }),
    },
  });
  const factsOf = (task: unknown): Facts => {
    assert.equal((task as Fields)["kind"], "task");
    return facts(task as Fields, { parts: "parts", partOf });
  };
  const events = async function* (results: AsyncGenerator<Fields>): AsyncGenerator<Event> {
    for await (const result of results)
      switch (result["kind"]) {
        case "task":
          yield { kind: "task", task: factsOf(result) };
          break;
        case "status-update":
          yield statusOf(result);
          break;
        case "artifact-update":
          yield artifactOf(result, { parts: "parts", partOf });
          break;
        default:
          assert.fail(`an event of kind ${String(result["kind"])}`);
      }
  };
  return {
    name: "JSON-RPC 0.3",
    send: async (said) => factsOf(await rpc.call("message/send", message(said))),
    stream: (said) => events(rpc.stream("message/stream", message(said))),
    get: async (id) => factsOf(await rpc.call("tasks/get", { id })),
    cancel: async (id) => factsOf(await rpc.call("tasks/cancel", { id })),
    subscribe: (id) => events(rpc.stream("tasks/resubscribe", { id })),
    close: () => undefined,
  };

  function partOf(part: Fields): Part {
    switch (part["kind"]) {
      case "text":
        return { text: part["text"] };
      case "data":
        return { data: part["data"] };
      case "file": {
        const { bytes, uri, mimeType, name } = at(part, "file");
        const known = { type: mimeType, name };
        return bytes === undefined ? { url: uri, ...known } : { bytes, ...known };
      }
      default:
        return assert.fail(`a part of kind ${String(part["kind"])}`);
    }
  }
}

function restDoor(port: number): SixthDoor {
  const rest = olderRest(port);
  const message = ({ messageId, text, taskId }: Said): object => ({
    request: { messageId, role: "ROLE_USER", content: [{ text }], ...(taskId && { taskId }) },
    configuration: { blocking: true },
  });
  const factsOf = (task: Fields): Facts => facts(task, { parts: "content", partOf: protoPartOf });
  const events = async function* (items: AsyncGenerator<Fields>) {
    for await (const item of items) yield eventOf(item, factsOf, protoPartOf);
  };
  return {
    name: "HTTP+JSON 0.3",
    send: async (said) =>
      factsOf(at(await rest.call("POST", "/message:send", message(said)), "task")),
    stream: (said) => events(rest.stream("POST", "/message:stream", message(said))),
    get: async (id) => factsOf(await rest.call("GET", `/tasks/${id}`)),
    cancel: async (id) => factsOf(await rest.call("POST", `/tasks/${id}:cancel`)),
    subscribe: (id) => events(rest.stream("GET", `/tasks/${id}:subscribe`)),
    close: () => undefined,
  };
}

/** Parts as ProtoJSON of 0.3. */
function protoPartOf(part: Fields): Part {
  if (part["text"] !== undefined) return { text: part["text"] };
  if (part["data"] !== undefined) return { data: at(part, "data")["data"] };
  const { fileWithBytes, fileWithUri, mimeType, name } = at(part, "file");
  const known = { type: mimeType, name };
  return fileWithBytes === undefined
    ? { url: fileWithUri, ...known }
    : { bytes: fileWithBytes, ...known };
}

function grpcDoor(port: number): SixthDoor {
  const grpc = olderGrpc(port);
  const message = ({ messageId, text, taskId }: Said): object => ({
    request: {
      message_id: messageId,
      role: "ROLE_USER",
      content: [{ text }],
      ...(taskId && { task_id: taskId }),
    },
    configuration: { blocking: true },
  });
  const factsOf = (task: Fields): Facts =>
    facts(camel(task) as Fields, { parts: "content", partOf: protoPartOf });
  const events = async function* (items: AsyncGenerator<Fields>) {
    for await (const item of items) yield eventOf(camel(item) as Fields, factsOf, protoPartOf);
  };
  return {
    name: "gRPC 0.3",
    send: async (said) => factsOf(at(await grpc.call("SendMessage", message(said)), "task")),
    stream: (said) => events(grpc.stream("SendStreamingMessage", message(said))),
    get: async (id) => factsOf(await grpc.call("GetTask", { name: `tasks/${id}` })),
    cancel: async (id) => factsOf(await grpc.call("CancelTask", { name: `tasks/${id}` })),
    subscribe: (id) => events(grpc.stream("TaskSubscription", { name: `tasks/${id}` })),
    close: () => grpc.close(),
  };
}

/** Names in camelCase; `update` is what JSON calls `message`; a Struct is the object that it holds. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Fields;
  if ("fields" in object) return struct(object["fields"] as Fields);
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name === "update"
        ? "message"
        : name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      camel(member),
    ]),
  );
}

function struct(fields: Fields): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, structValue(value as Fields)]),
  );
}

function structValue(value: Fields): unknown {
  if ("structValue" in value) return struct(at(value, "structValue")["fields"] as Fields);
  if ("listValue" in value) return (at(value, "listValue")["values"] as Fields[]).map(structValue);
  return value["stringValue"] ?? value["numberValue"] ?? value["boolValue"] ?? null;
}

interface Spelling {
  /** What the version calls the parts of a message. */
  readonly parts: "parts" | "content";
  readonly partOf: (part: Fields) => Part;
}

function facts(task: Fields, { parts, partOf }: Spelling): Facts {
  const status = at(task, "status");
  const said = status["message"] as Fields | undefined;
  return {
    id: String(task["id"]),
    contextId: String(task["contextId"]),
    state: stateOf(status),
    ...(said && { said: listOf(said, parts).map(partOf) }),
    history: listOf(task, "history").map((message) => ({
      by: String(message["role"]).replace("ROLE_", "").toLowerCase(),
      parts: listOf(message, parts).map(partOf),
    })),
    artifacts: listOf(task, "artifacts").map((artifact) => ({
      id: String(artifact["artifactId"]),
      parts: listOf(artifact, "parts").map(partOf),
    })),
  };
}

function eventOf(
  item: Fields,
  factsOf: (task: Fields) => Facts,
  partOf: (part: Fields) => Part,
): Event {
  if ("task" in item) return { kind: "task", task: factsOf(at(item, "task")) };
  if ("statusUpdate" in item) return statusOf(at(item, "statusUpdate"));
  return artifactOf(at(item, "artifactUpdate"), { parts: "parts", partOf });
}

function statusOf(update: Fields): Event {
  return { kind: "status", id: String(update["taskId"]), state: stateOf(at(update, "status")) };
}

function artifactOf(update: Fields, { partOf }: Spelling): Event {
  const artifact = at(update, "artifact");
  return {
    kind: "artifact",
    id: String(artifact["artifactId"]),
    parts: listOf(artifact, "parts").map(partOf),
  };
}

function stateOf(status: Fields): string {
  return String(status["state"])
    .replace("TASK_STATE_", "")
    .toLowerCase()
    .replaceAll("_", "-")
    .replace("cancelled", "canceled");
}

function at(object: unknown, name: string): Fields {
  const member = (object as Fields)[name];
  assert(typeof member === "object" && member !== null, `no ${name} in ${JSON.stringify(object)}`);
  return member as Fields;
}

function listOf(object: Fields, name: string): readonly Fields[] {
  return (object[name] ?? []) as Fields[];
}
