/** The text of a log entry: one JSON object that spells a TaskEvent; without `history` it is also what streams send. */
import { modelOf, readyMade, type ReadyMade } from "../protocol/ready-made.ts";
import type { StreamResponse, TaskStatusUpdateEvent } from "../protocol/model.ts";
import { applyEvent, liveTaskOf, type LiveTask, type TaskEvent } from "./apply-event.ts";
import type { News } from "./ports/push-store.ts";
import type { ListedTask, LogEntry, NewEntry } from "./ports/task-store.ts";

export interface Entry extends NewEntry {
  /** What subscribers get. */
  readonly response: ReadyMade<StreamResponse>;
}

/** Writes an event down for the log and for streams, once. */
export function entryOf(generation: number, event: TaskEvent): Entry {
  if ("statusUpdate" in event && event.history) {
    const members = `"statusUpdate":${statusText(event.statusUpdate)}`;
    const text = `{${members},"history":${JSON.stringify(event.history)}}`;
    return { generation, text, news: "status", response: readyMade([{ members }]) };
  }
  if ("statusUpdate" in event) {
    const members = `"statusUpdate":${statusText(event.statusUpdate)}`;
    const response = readyMade<StreamResponse>([{ members }]);
    return { generation, text: `{${members}}`, news: "status", response };
  }
  const text = JSON.stringify(event);
  const response = readyMade<StreamResponse>([{ members: text.slice(1, -1) }]);
  return { generation, text, news: newsOf(event), response };
}

/** An artifact is whole when its event says that it is the last chunk, or does not say that it is one of several. */
function newsOf(event: TaskEvent): News {
  if (!("artifactUpdate" in event)) return "status";
  const { append, lastChunk = !append } = event.artifactUpdate;
  return lastChunk ? "artifact" : "piece";
}

/** Most events are bare statuses, of whose members only the context comes from outside. */
function statusText(update: TaskStatusUpdateEvent): string {
  const { taskId, contextId, status, metadata } = update;
  if (status.message || metadata || !status.timestamp) return JSON.stringify(update);
  return (
    `{"taskId":"${taskId}","contextId":${JSON.stringify(contextId)},` +
    `"status":{"state":"${status.state}","timestamp":"${status.timestamp}"}}`
  );
}

/** A stored entry as subscribers get it. */
export function replayOf({ generation, text }: LogEntry): Entry {
  const { news, response } = entryOf(generation, eventOf(text));
  return { generation, text, news, response };
}

export function eventOf(text: string): TaskEvent {
  return JSON.parse(text) as TaskEvent;
}

/** The task of a stored text and the log entries that came after it; without artifacts, artifacts in part. */
export function foldStored(stored: ListedTask): LiveTask {
  const live = liveTaskOf(modelOf(stored.task));
  for (const entry of stored.tail) applyEvent(live, eventOf(entry.text));
  return live;
}
