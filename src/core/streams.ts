/** A task's events as a caller follows them: without a gap, in order, to an end that depends on what was asked. */
import type { StreamItem } from "../protocol/service.ts";
import { isTerminal, type TaskState } from "../protocol/states.ts";
import type { EventHub, Published, Subscription } from "./event-hub.ts";
import { eventOf, replayOf } from "./log-entry.ts";
import type { StoredTask, TaskStore } from "./ports.ts";
import { viewOf } from "./views.ts";

const WHOLE = { historyLength: undefined, artifacts: true };

/** A subscription that ends when the caller leaves. */
export function subscribe(hub: EventHub, taskId: string, signal: AbortSignal): Subscription {
  const events = hub.subscribe(taskId);
  if (signal.aborted) events.close();
  else signal.addEventListener("abort", () => events.close(), { once: true });
  return events;
}

/** A send's stream ends when there is nothing to wait for (spec 3.1.2); AUTH_REQUIRED may pass by itself (spec 7.6.1). */
export function endsSend(state: TaskState): boolean {
  return isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED";
}

/** The events after a generation, until one brings a state that ends the stream. */
export async function* eventsAfter(
  generation: number,
  events: AsyncIterable<Published>,
  ends: (state: TaskState) => boolean,
): AsyncGenerator<StreamItem> {
  for await (const event of events) {
    if (event.generation <= generation) continue;
    yield event;
    if (ends(event.state)) return;
  }
}

/** The task as stored, then the events after it (spec 3.1.6). */
export async function* snapshotThenEvents(
  stored: StoredTask,
  events: AsyncIterable<Published>,
  ends: (state: TaskState) => boolean,
): AsyncGenerator<StreamItem> {
  yield { response: { task: viewOf(stored, WHOLE) }, generation: stored.generation };
  if (ends(stored.status.state)) return;
  yield* eventsAfter(stored.generation, events, ends);
}

/**
 * The events after the caller's cursor: from the log, then live. When the log does not reach back that far, or the
 * cursor is ahead of the task, the task as stored takes the place of what is missing.
 */
export async function* resumed(
  cursor: number,
  stored: StoredTask,
  store: TaskStore,
  events: AsyncIterable<Published>,
): AsyncGenerator<StreamItem> {
  const missing =
    cursor <= stored.generation ? await store.entriesAfter(stored.id, cursor) : undefined;
  if (!missing) return yield* snapshotThenEvents(stored, events, isTerminal);
  let generation = cursor;
  for (const entry of missing) {
    generation = entry.generation;
    yield replayOf(entry);
  }
  // What the log held may be newer than the row that was read before it: then the end is in it.
  if (isTerminal(stored.status.state) || endedBy(missing.at(-1)?.text)) return;
  yield* eventsAfter(generation, events, isTerminal);
}

function endedBy(text: string | undefined): boolean {
  if (text === undefined) return false;
  const event = eventOf(text);
  if ("statusUpdate" in event) return isTerminal(event.statusUpdate.status.state);
  return "task" in event && isTerminal(event.task.status.state);
}
