import assert from "node:assert/strict";
import {
  ContentTypeNotSupportedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/client";
import { byId, collect, get, send } from "../requests.mjs";

export async function errorChecks(client, check, binding) {
  const refuses = (title, call, matches) =>
    check(title, () => assert.rejects(async () => await call(), matches));
  const finished = await client.sendMessage(send("done"));
  const waiting = await client.sendMessage(send("ask"));
  const unknown = { taskId: "no-such-task" };
  const unsupported = unlessGrpc(binding, UnsupportedOperationError, 12);
  const invalid = (thrown) => codeOf(thrown) === (binding === "GRPC" ? 3 : -32602);

  await refuses(
    "GetTask: no such task",
    () => client.getTask(get("no-such-task")),
    TaskNotFoundError,
  );
  await refuses(
    "SendMessage: no such task",
    () => client.sendMessage(send("a", unknown)),
    TaskNotFoundError,
  );
  await refuses(
    "SendStreamingMessage: no such task",
    () => collect(client.sendMessageStream(send("a", unknown))),
    isA(TaskNotFoundError),
  );
  await refuses(
    "SubscribeToTask: no such task",
    () => collect(client.resubscribeTask(byId("no-such-task"))),
    isA(TaskNotFoundError),
  );
  await refuses(
    "SendMessage: a finished task takes no more messages",
    () => client.sendMessage(send("a", { taskId: finished.id })),
    unsupported,
  );
  await refuses(
    "SendStreamingMessage: a finished task takes no more messages",
    () => collect(client.sendMessageStream(send("a", { taskId: finished.id }))),
    unsupported,
  );
  await refuses(
    "SubscribeToTask: a finished task has no more events",
    () => collect(client.resubscribeTask(byId(finished.id))),
    isA(UnsupportedOperationError),
  );
  await refuses(
    "SendMessage: a task has one context",
    () => client.sendMessage(send("a", { taskId: waiting.id, contextId: "another" })),
    invalid,
  );
  await refuses(
    "SendMessage: a message has an id",
    () => client.sendMessage(send("a", { messageId: "" })),
    invalid,
  );
  await refuses(
    "SendMessage: the error of an agent keeps its type",
    () => client.sendMessage(send("refuse")),
    unlessGrpc(binding, ContentTypeNotSupportedError, 3),
  );
}

/** True for the SDK's error of that type, which it hides in the cause when it comes as an event of a stream. */
function isA(type) {
  return (thrown) => thrown instanceof type || thrown.cause instanceof type;
}

/** On gRPC this SDK has no type for most errors, but keeps the status. */
function unlessGrpc(binding, type, status) {
  return binding === "GRPC" ? (thrown) => codeOf(thrown) === status : isA(type);
}

/** The code of an error that the SDK has no type for: of JSON-RPC, of an HTTP+JSON body or a gRPC status. */
function codeOf(thrown) {
  const inText = /\(Code: (-?\d+)\)/.exec(thrown.message)?.[1];
  return thrown.errorResponse?.error.code ?? thrown.cause?.code ?? Number(inText);
}
