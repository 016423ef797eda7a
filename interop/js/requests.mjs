/** Requests and readings in the SDK's own types, in which every member has to be there. */
import { randomUUID } from "node:crypto";
import { Role, TaskState } from "@a2a-js/sdk";

export function send(text, { parts, taskId = "", contextId = "", configuration, messageId } = {}) {
  return {
    tenant: "",
    metadata: undefined,
    message: {
      messageId: messageId ?? randomUUID(),
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: parts ?? [part("text", text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
  };
}

export function part($case, value, { filename = "", mediaType = "" } = {}) {
  return { content: { $case, value }, metadata: undefined, filename, mediaType };
}

export function list(filters) {
  return {
    tenant: "",
    contextId: "",
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: "",
    statusTimestampAfter: undefined,
    ...filters,
  };
}

export const get = (id, historyLength) => ({ tenant: "", id, historyLength });
export const byId = (id) => ({ tenant: "", id, metadata: undefined });
export const textOf = (parts) => parts.map((part) => part.content?.value ?? "").join("");
export const stateOf = (task) => TaskState[task.status?.state];

/** The id of a task that is under way: by stream, since only JSON-RPC of 0.3 can say that nobody waits. */
export async function begun(client, text) {
  for await (const { payload } of client.sendMessageStream(send(text))) {
    if (payload.$case === "task") return payload.value.id;
  }
  throw new Error(`no task from ${text}`);
}

/** Every event of a stream as [kind, value]. */
export async function collect(stream, onEvent = () => {}) {
  const events = [];
  for await (const { payload } of stream) {
    events.push([payload.$case, payload.value]);
    await onEvent(payload.$case, payload.value, events.length);
  }
  return events;
}

/** The states a stream went through, and the text of its artifacts as a reader puts it together. */
export function story(events) {
  const states = [];
  const artifacts = new Map();
  for (const [kind, value] of events) {
    if (kind === "task" || kind === "statusUpdate") states.push(stateOf(value).slice(11));
    if (kind === "task")
      for (const { artifactId, parts } of value.artifacts) artifacts.set(artifactId, textOf(parts));
    if (kind === "artifactUpdate") {
      const { artifactId, parts } = value.artifact;
      // Only chunks come under an id that is known; `append` is not for all to see (see the checks of streams).
      artifacts.set(artifactId, (artifacts.get(artifactId) ?? "") + textOf(parts));
    }
  }
  return { states, text: [...artifacts.values()].join("|") };
}
