/** Requests and readings in the SDK's own types. */
import { randomUUID } from "node:crypto";

export function send(text, { parts, taskId, contextId, configuration, messageId } = {}) {
  return {
    message: {
      kind: "message",
      messageId: messageId ?? randomUUID(),
      role: "user",
      parts: parts ?? [{ kind: "text", text }],
      ...(taskId === undefined ? {} : { taskId }),
      ...(contextId === undefined ? {} : { contextId }),
    },
    ...(configuration === undefined ? {} : { configuration }),
  };
}

export const get = (id, historyLength) => ({ id, historyLength });
export const byId = (id) => ({ id });
export const textOf = (parts) => parts.map((part) => part.text ?? "").join("");

/**
 * The id of a task that is under way. By stream, since this SDK cannot say "do not wait" on every binding: on HTTP+JSON
 * and gRPC it leaves out a `blocking` that is false.
 */
export async function begun(client, text) {
  for await (const { kind, id } of client.sendMessageStream(send(text))) {
    if (kind === "task") return id;
  }
  throw new Error(`no task from ${text}`);
}

/** Every event of a stream. */
export async function collect(stream, onEvent = () => {}) {
  const events = [];
  for await (const event of stream) {
    events.push(event);
    await onEvent(event, events.length);
  }
  return events;
}

/** The states a stream went through, and the text of its artifacts as a reader puts it together. */
export function story(events) {
  const states = [];
  const artifacts = new Map();
  for (const event of events) {
    if (event.kind === "task" || event.kind === "status-update") states.push(event.status.state);
    if (event.kind === "task")
      for (const { artifactId, parts } of event.artifacts ?? [])
        artifacts.set(artifactId, textOf(parts));
    if (event.kind === "artifact-update") {
      const { artifactId, parts } = event.artifact;
      // On HTTP+JSON and gRPC this SDK drops `append`; here only chunks come under an id that is known.
      const before = event.append === false ? "" : (artifacts.get(artifactId) ?? "");
      artifacts.set(artifactId, before + textOf(parts));
    }
  }
  return { states, text: [...artifacts.values()].join("|") };
}

/** Which events say that they are the last one. */
export const finals = (events) => events.map((event) => event.final === true);
