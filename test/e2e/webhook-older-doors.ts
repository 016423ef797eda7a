/** What callers do about webhooks on the three doors of 0.3. */
import assert from "node:assert/strict";
import type { Fields } from "../support/doors.ts";
import { olderGrpc, olderRest, olderRpc } from "../support/older-doors.ts";
import {
  hook,
  listIn,
  nextMessageId,
  present,
  taskIdIn,
  taskIdOf,
  type Hook,
  type HookDoor,
  type Told,
} from "./webhook-face.ts";

export function olderHookDoors(port: number, agent: string): readonly HookDoor[] {
  return [rpc(port, agent), rest(port, agent), grpc(port, agent)];
}

function rpc(port: number, agent: string): HookDoor {
  const client = olderRpc(port, `/a2a/${agent}`);
  const METHOD = "tasks/pushNotificationConfig";
  const request = ({ text, taskId, hook: sent }: Told, blocking: boolean): object => ({
    message: {
      kind: "message",
      messageId: nextMessageId(),
      role: "user",
      parts: [{ kind: "text", text }],
      ...(taskId !== undefined && { taskId }),
    },
    configuration: { blocking, ...(sent && { pushNotificationConfig: olderConfigOf(sent) }) },
  });
  const hookOf = (answer: unknown): Hook =>
    hook((answer as Fields)["pushNotificationConfig"] as Fields, "schemes");
  const idIn = (result: unknown): string | undefined => {
    const { kind, id } = result as Fields;
    return kind === "task" ? String(id) : undefined;
  };
  return {
    name: "JSON-RPC 0.3",
    version: "0.3",
    binding: "jsonrpc",
    paths: { set: "pushNotificationConfig.", sent: "configuration.pushNotificationConfig." },
    set: async (taskId, given) =>
      hookOf(
        await client.call(`${METHOD}/set`, {
          taskId,
          pushNotificationConfig: olderConfigOf(given),
        }),
      ),
    get: async (id, pushNotificationConfigId) =>
      hookOf(
        await client.call(`${METHOD}/get`, {
          id,
          ...(pushNotificationConfigId !== undefined && { pushNotificationConfigId }),
        }),
      ),
    list: async (id) => ((await client.call(`${METHOD}/list`, { id })) as Fields[]).map(hookOf),
    remove: async (id, pushNotificationConfigId) => {
      assert.equal(await client.call(`${METHOD}/delete`, { id, pushNotificationConfigId }), null);
    },
    send: async (told) => idIn(await client.call("message/send", request(told, true))),
    begin: async (told) => present(idIn(await client.call("message/send", request(told, false)))),
    stream: (told) => taskIdOf(client.stream("message/stream", request(told, true)), idIn),
    close: () => undefined,
  };
}

function rest(port: number, agent: string): HookDoor {
  const client = olderRest(port, `/a2a/${agent}`);
  const path = (taskId: string, id = ""): string =>
    `/tasks/${taskId}/pushNotificationConfigs${id && `/${encodeURIComponent(id)}`}`;
  const request = ({ text, taskId, hook: sent }: Told, blocking: boolean): object => ({
    request: {
      messageId: nextMessageId(),
      role: "ROLE_USER",
      content: [{ text }],
      ...(taskId !== undefined && { taskId }),
    },
    configuration: { blocking, ...(sent && { pushNotification: olderConfigOf(sent) }) },
  });
  const hookOf = (answer: Fields): Hook =>
    hook(answer["pushNotificationConfig"] as Fields, "schemes");
  return {
    name: "HTTP+JSON 0.3",
    version: "0.3",
    binding: "http",
    paths: { set: "config.pushNotificationConfig.", sent: "configuration.pushNotification." },
    async set(taskId, { id, ...given }) {
      const answer = await client.call("POST", path(taskId), {
        ...(id !== undefined && { configId: id }),
        config: { pushNotificationConfig: olderConfigOf(given) },
      });
      const made = hookOf(answer);
      assert.equal(answer["name"], `tasks/${taskId}/pushNotificationConfigs/${made.id}`);
      return made;
    },
    get: async (taskId, id = "None") => hookOf(await client.call("GET", path(taskId, id))),
    list: async (taskId) => listIn(await client.call("GET", path(taskId))).map(hookOf),
    remove: async (taskId, id) => {
      assert.deepEqual(await client.call("DELETE", path(taskId, id)), {});
    },
    send: async (told) => taskIdIn(await client.call("POST", "/message:send", request(told, true))),
    begin: async (told) =>
      present(taskIdIn(await client.call("POST", "/message:send", request(told, false)))),
    stream: (told) =>
      taskIdOf(client.stream("POST", "/message:stream", request(told, true)), taskIdIn),
    close: () => undefined,
  };
}

function grpc(port: number, agent: string): HookDoor {
  const client = olderGrpc(port);
  const metadata = { "a2a-agent": agent };
  const call = (method: string, request: object): Promise<Fields> =>
    client.call(method, request, metadata);
  const named = (taskId: string, id: string): object => ({
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
  });
  const request = ({ text, taskId, hook: sent }: Told): object => ({
    request: {
      message_id: nextMessageId(),
      role: "ROLE_USER",
      content: [{ text }],
      ...(taskId !== undefined && { task_id: taskId }),
    },
    configuration: {
      blocking: true,
      ...(sent && { push_notification: olderConfigOf(sent) }),
    },
  });
  const hookOf = (answer: Fields): Hook =>
    hook(answer["push_notification_config"] as Fields, "schemes");
  const stream = (told: Told): AsyncGenerator<Fields> =>
    client.stream("SendStreamingMessage", request(told), metadata);
  return {
    name: "gRPC 0.3",
    version: "0.3",
    binding: "grpc",
    paths: { set: "config.pushNotificationConfig.", sent: "configuration.pushNotification." },
    set: async (taskId, { id, ...given }) =>
      hookOf(
        await call("CreateTaskPushNotificationConfig", {
          parent: `tasks/${taskId}`,
          ...(id !== undefined && { config_id: id }),
          config: { push_notification_config: olderConfigOf(given) },
        }),
      ),
    get: async (taskId, id = "None") =>
      hookOf(await call("GetTaskPushNotificationConfig", named(taskId, id))),
    list: async (taskId) =>
      listIn(await call("ListTaskPushNotificationConfig", { parent: `tasks/${taskId}` })).map(
        hookOf,
      ),
    remove: async (taskId, id) => {
      await call("DeleteTaskPushNotificationConfig", named(taskId, id));
    },
    send: async (told) => taskIdIn(await call("SendMessage", request(told))),
    async begin(told) {
      for await (const event of stream(told)) return present(taskIdIn(event));
      return assert.fail("a stream without an event");
    },
    stream: (told) => taskIdOf(stream(told), taskIdIn),
    close: () => client.close(),
  };
}

function olderConfigOf({ scheme, credentials, ...rest }: Hook): object {
  if (scheme === undefined) return rest;
  const schemes = [scheme];
  return {
    ...rest,
    authentication: credentials === undefined ? { schemes } : { schemes, credentials },
  };
}
