import assert from "node:assert/strict";
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { errorOf } from "../refusals.mjs";
import { byId, collect, get, list, send } from "../requests.mjs";

export async function errorChecks(client, check, door) {
  const error = errorOf(door);
  const refuses = (title, call, type) =>
    check(title, () => assert.rejects(async () => await call(), error(type)));
  const finished = await client.sendMessage(send("done"));
  const waiting = await client.sendMessage(send("ask"));
  const unknown = { taskId: "no-such-task" };

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
    TaskNotFoundError,
  );
  await refuses(
    "SubscribeToTask: no such task",
    () => collect(client.resubscribeTask(byId("no-such-task"))),
    TaskNotFoundError,
  );
  await refuses(
    "SendMessage: a finished task takes no more messages",
    () => client.sendMessage(send("a", { taskId: finished.id })),
    UnsupportedOperationError,
  );
  await refuses(
    "SendStreamingMessage: a finished task takes no more messages",
    () => collect(client.sendMessageStream(send("a", { taskId: finished.id }))),
    UnsupportedOperationError,
  );
  await refuses(
    "SubscribeToTask: a finished task has no more events",
    () => collect(client.resubscribeTask(byId(finished.id))),
    UnsupportedOperationError,
  );
  await refuses(
    "SendMessage: a task has one context",
    () => client.sendMessage(send("a", { taskId: waiting.id, contextId: "another" })),
    RequestMalformedError,
  );
  await refuses(
    "SendMessage: a message has an id",
    () => client.sendMessage(send("a", { messageId: "" })),
    RequestMalformedError,
  );
  if (door.version === "1.0")
    await refuses(
      "ListTasks: a page has a size",
      () => client.listTasks(list({ pageSize: 1000 })),
      RequestMalformedError,
    );
  await refuses(
    "SendMessage: the error of an agent keeps its type",
    () => client.sendMessage(send("refuse")),
    ContentTypeNotSupportedError,
  );
}
