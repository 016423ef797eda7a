/** The operations of the load, as each version spells them on JSON-RPC. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal, type Caller, type Version } from "./caller.ts";
import { registrationOf, type Agent, type Hook } from "./hooks.ts";

export interface Client {
  readonly caller: Caller;
  readonly agent: Agent;
  readonly version: Version;
  /** The base URL of the webhooks. */
  readonly receiver: string;
}

export interface Sending {
  readonly text: string;
  readonly hook: Hook;
  /** Whether the answer waits until the task has settled; else it is the task as it begins. */
  readonly waits: boolean;
  /** The task that the message goes on with. */
  readonly taskId?: string;
}

interface Answer {
  readonly id: string;
  readonly status: { readonly state: string };
}

/** The id of the message's task, which the webhook then has too. */
export async function send(client: Client, sending: Sending): Promise<string> {
  const { caller, agent, version } = client;
  const method = version === "1.0" ? "SendMessage" : "message/send";
  const params = paramsOf(client, sending);
  return named(sending.hook, await caller.call<Answered>(agent, version, method, params));
}

/** As `send`, by a stream that is read to its end. */
export async function stream(client: Client, sending: Sending): Promise<string> {
  const { caller, agent, version } = client;
  const method = version === "1.0" ? "SendStreamingMessage" : "message/stream";
  const params = paramsOf(client, sending);
  return named(sending.hook, await caller.firstOf<Answered>(agent, version, method, params));
}

/** A task, in 1.0 as a member. */
type Answered = Answer | { readonly task: Answer };

function named(hook: Hook, answered: Answered): string {
  const { id } = "task" in answered ? answered.task : answered;
  hook.taskId = id;
  return id;
}

function paramsOf(client: Client, { text, hook, waits, taskId }: Sending): object {
  const messageId = randomUUID();
  const task = taskId === undefined ? {} : { taskId };
  const config = registrationOf(hook, client.receiver);
  if (client.version === "1.0")
    return {
      message: Object.assign({ messageId, role: "ROLE_USER", parts: [{ text }] }, task),
      configuration: { returnImmediately: !waits, taskPushNotificationConfig: config },
    };
  const parts = [{ kind: "text", text }];
  return {
    message: Object.assign({ kind: "message", messageId, role: "user", parts }, task),
    configuration: { blocking: waits, pushNotificationConfig: config },
  };
}

/** Registers a webhook with a task that is there. */
export async function register(client: Client, hook: Hook, taskId: string): Promise<void> {
  const { caller, agent, receiver } = client;
  const config = registrationOf(hook, receiver);
  if (hook.version === "1.0") {
    const params = Object.assign({ taskId }, config);
    await caller.call(agent, "1.0", "CreateTaskPushNotificationConfig", params);
  } else {
    const params = { taskId, pushNotificationConfig: config };
    await caller.call(agent, "0.3", "tasks/pushNotificationConfig/set", params);
  }
  hook.taskId = taskId;
}

/** Resolves when the deletion has been acknowledged, however often it was cut. */
export async function unregister(client: Client, hook: Hook, taskId: string): Promise<void> {
  const { caller, agent } = client;
  const { name: id } = hook;
  await untilAnswered(() =>
    hook.version === "1.0"
      ? caller.call(agent, "1.0", "DeleteTaskPushNotificationConfig", { taskId, id })
      : caller.call(agent, "0.3", "tasks/pushNotificationConfig/delete", {
          id: taskId,
          pushNotificationConfigId: id,
        }),
  );
}

export async function stateOf({ caller, agent }: Client, id: string): Promise<string> {
  const task = await caller.call<Answer>(agent, "1.0", "GetTask", { id, historyLength: 0 });
  return task.status.state;
}

const RETRY_MS = 50;

/** Calls again while the other side is away; what it refuses is thrown. */
export async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      if (thrown instanceof Refusal) throw thrown;
      await sleep(RETRY_MS);
    }
  }
}
