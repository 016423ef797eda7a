/** What callers do about webhooks on the six doors of an agent, with one face. */
import assert from "node:assert/strict";
import { ERRORS, type ErrorReason } from "../../src/protocol/errors.ts";
import { openDoors, Refusal, type Door, type Fields } from "../support/doors.ts";
import { OlderRefusal } from "../support/older-doors.ts";
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
import { olderHookDoors } from "./webhook-older-doors.ts";

export function hookDoors(port: number, agent: string): readonly HookDoor[] {
  return [...openDoors(port, agent).map(newer), ...olderHookDoors(port, agent)];
}

/** What the gRPC of 0.3 has as UNIMPLEMENTED. */
const UNSUPPORTED: ReadonlySet<ErrorReason> = new Set([
  "PUSH_NOTIFICATION_NOT_SUPPORTED",
  "UNSUPPORTED_OPERATION",
]);

/** Asserts that the door refuses with that error; the fields that it names, in 1.0, or the message. */
export async function refusedBy(
  door: HookDoor,
  answer: Promise<unknown>,
  reason: ErrorReason,
): Promise<{ readonly fields: readonly string[]; readonly message: string }> {
  const refusal = await answer.then(
    (value) => assert.fail(`no error on ${door.name}: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(refusal instanceof Refusal || refusal instanceof OlderRefusal)) throw refusal;
  const unimplemented = door.name === "gRPC 0.3" && UNSUPPORTED.has(reason) ? 12 : undefined;
  assert.equal(refusal.code, unimplemented ?? ERRORS[reason][door.binding], refusal.message);
  const fields = refusal instanceof Refusal ? refusal.fields : [];
  return { fields, message: refusal.message };
}

function newer(door: Door): HookDoor {
  const configOf = ({ scheme, credentials, ...rest }: Hook): object => ({
    ...rest,
    ...(scheme !== undefined && {
      authentication: { scheme, ...(credentials !== undefined && { credentials }) },
    }),
  });
  const hookOf = (config: Fields): Hook => hook(config, "scheme");
  const request = ({ text, taskId, hook: sent }: Told, isAtOnce: boolean): object => ({
    message: {
      messageId: nextMessageId(),
      role: "ROLE_USER",
      parts: [{ text }],
      ...(taskId !== undefined && { taskId }),
    },
    configuration: {
      ...(isAtOnce && { returnImmediately: true }),
      ...(sent && { taskPushNotificationConfig: configOf(sent) }),
    },
  });
  return {
    name: `${door.name} 1.0`,
    version: "1.0",
    binding: door.binding,
    paths: { set: "", sent: "configuration.taskPushNotificationConfig." },
    async set(taskId, given) {
      const set = { taskId, ...configOf(given) };
      const answer = await door.call("createTaskPushNotificationConfig", set);
      assert.equal(answer["taskId"], taskId);
      return hookOf(answer);
    },
    get: async (taskId, id = "") =>
      hookOf(await door.call("getTaskPushNotificationConfig", { taskId, id })),
    list: async (taskId) =>
      listIn(await door.call("listTaskPushNotificationConfigs", { taskId })).map(hookOf),
    remove: async (taskId, id) => {
      await door.call("deleteTaskPushNotificationConfig", { taskId, id });
    },
    send: async (told) => taskIdIn(await door.call("sendMessage", request(told, false))),
    begin: async (told) => present(taskIdIn(await door.call("sendMessage", request(told, true)))),
    stream: (told) =>
      taskIdOf(door.stream("sendStreamingMessage", request(told, false)), ({ response }) =>
        taskIdIn(response),
      ),
    close: () => door.close(),
  };
}
